import type { Hello } from "../src/frames.js";
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect, type SluiceClient, type SubscribeOptions } from "../src/index.js";
import type { Subscription } from "../src/observer.js";
import { Subscriptions } from "../src/subscriptions.js";
import { loadSideStreams } from "../src/topic-subscription.js";
import { ReplayingLink, ReplayingLog } from "./replaying-log.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { isSluiceError, randomFrom, until } from "./support.js";

const EPOCH = "1f0a6c2b9d3e4f58";

interface Received {
  readonly reported: string[];
  readonly subscription: Subscription;
}

describe("late observers", { timeout: 60_000 }, () => {
  let node: ScriptedNode;
  let client: SluiceClient;
  let session: ScriptedSession;

  beforeEach(async () => {
    node = await ScriptedNode.start();
    client = connect(node.url, { WebSocket, minBackoff: 5, maxBackoff: 20 });
    client.on("error", () => undefined);
    session = await node.session();
    session.hello();
  });

  afterEach(async () => {
    client.close();
    await node.stop();
  });

  function subscribe(options: SubscribeOptions = {}): Received {
    const reported: string[] = [];
    const subscription = client.subscribe(
      "a",
      {
        onMessage: ({ payload, gapBefore }) =>
          reported.push(`${String(payload)}${gapBefore ? ` behind ${gapBefore}` : ""}`),
        onGap: ({ reason }) => reported.push(`gap ${reason}`),
        onState: ({ status }) => reported.push(status),
        onError: ({ code }) => reported.push(code),
      },
      options,
    );
    return { reported, subscription };
  }

  /** Subscribes an observer from the third message on, and a later one from the last two. */
  async function subscribeTwo(): Promise<readonly [Received, Received]> {
    const first = subscribe();
    await session.subscribed(2);
    session.message("a", 3, "3");
    session.message("a", 4, "4");
    await until("the first receives", () => first.reported.length === 3);
    return [first, subscribe({ from: { last: 2 } })];
  }

  function has(received: Received, ...reported: readonly string[]): Promise<void> {
    return until(`${reported.join(", ")} instead of ${received.reported.join(", ")}`, () => {
      return received.reported.join() === reported.join();
    });
  }

  test("shouldReplayToALateObserverAndDeliverLaterMessagesToBoth", async () => {
    const [first, late] = await subscribeTwo();
    assert.equal(late.subscription.state.status, "pending");
    assert.equal(late.subscription.position, undefined);
    await session.next("unsubscribe");
    assert.deepEqual((await session.subscribed(4, { replay: 2 }))["from"], { last: 2 });
    for (const offset of [3, 4, 5]) session.message("a", offset, String(offset));
    await has(first, "live", "3", "4", "5");
    await has(late, "live", "3", "4", "5");
    assert.equal(session.count("subscribe"), 2);
    assert.deepEqual(late.subscription.position, first.subscription.position);
  });

  test("shouldRequestTheMainStreamAgainIfMessagesWereMissed", async () => {
    const [first, late] = await subscribeTwo();
    const { ref } = await session.next("subscribe");
    // The first observer's message crosses the request.
    session.message("a", 5, "5");
    session.send({ type: "subscribed", ref, topic: "a", epoch: EPOCH, offset: 7, replay: 2 });
    for (const offset of [6, 7, 8]) session.message("a", offset, String(offset));
    await has(late, "live", "6", "7");
    const { from } = await session.subscribed(8, { replay: 3, recovered: true });
    assert.equal((from as { offset: number }).offset, 5);
    assert.equal(late.subscription.position?.offset, 7);
    for (const offset of [6, 7, 8, 9]) session.message("a", offset, String(offset));
    await has(first, "live", "3", "4", "5", "6", "7", "8", "9");
    await has(late, "live", "6", "7", "8", "9");
    assert.deepEqual(late.subscription.position, first.subscription.position);
  });

  test("shouldDetectDuplicatesFromAnotherNodeByIdentity", async () => {
    const [first, late] = await subscribeTwo();
    await session.subscribed(5, { replay: 2 });
    for (const offset of [4, 5]) session.message("a", offset, String(offset));
    await has(late, "live", "4", "5");
    await session.next("subscribe");
    session.cut();
    const next = await node.session();
    next.hello();
    await next.subscribed(102, { epoch: "00", recovered: true, replay: 2 });
    const withId = (id: number) => ({ id: id.toString(16).padStart(16, "0") });
    next.message("a", 101, "5", withId(5));
    next.message("a", 102, "6", withId(6));
    await has(first, "live", "3", "4", "pending", "live", "5", "6");
    await has(late, "live", "4", "5", "pending", "live", "6");
    assert.deepEqual(late.subscription.position, first.subscription.position);
  });

  test("shouldReportNotRecoveredToAllObservers", async () => {
    const [first, late] = await subscribeTwo();
    await session.subscribed(6, { replay: 1 });
    session.message("a", 6, "6");
    await session.subscribed(7, { recovered: false, replay: 1 });
    session.message("a", 6, "6");
    await has(
      first,
      "live",
      "3",
      "4",
      "gap",
      "gap not-recovered",
      "live",
      "6 behind not-recovered",
    );
    await has(late, ...["live", "6", "gap", "gap not-recovered", "live", "6 behind not-recovered"]);
  });

  test("shouldReportNotRecoveredToALateObserverOfTheSamePosition", async () => {
    const from = { epoch: EPOCH, offset: 2 };
    const first = subscribe({ from });
    await session.subscribed(9, { recovered: false });
    await has(first, "gap", "gap not-recovered");
    const late = subscribe({ from });
    assert.deepEqual((await session.subscribed(9, { recovered: false }))["from"], from);
    await has(late, "gap", "gap not-recovered");
  });

  test("shouldReportAGapOfASideStreamAndRequestTheMainStreamAgain", async () => {
    const [first, late] = await subscribeTwo();
    await session.subscribed(4, { replay: 2 });
    session.message("a", 3, "3");
    session.send({ type: "gap", topic: "a", reason: "overload", offset: 4, time: 1 });
    await session.subscribed(4, { recovered: true });
    session.message("a", 5, "5");
    await has(first, "live", "3", "4", "5");
    await has(late, "live", "3", "gap", "gap overload", "live", "5 behind overload");
  });

  test("shouldShareASideStreamWithTheSameOptions", async () => {
    const [, late] = await subscribeTwo();
    const other = subscribe({ from: { last: 2 } });
    const next = subscribe({ from: "snapshot" });
    await session.subscribed(4, { replay: 2 });
    for (const offset of [3, 4]) session.message("a", offset, String(offset));
    assert.equal((await session.subscribed(4, { replay: 1 }))["from"], "snapshot");
    for (const offset of [4, 5]) session.message("a", offset, String(offset));
    await has(late, "live", "3", "4", "5");
    await has(other, "live", "3", "4", "5");
    await has(next, "live", "4", "5");
    assert.equal(session.count("subscribe"), 3);
  });

  test("shouldWaitForAPendingReplay", async () => {
    const first = subscribe({ from: { last: 3 } });
    const late = subscribe({ from: "snapshot" });
    await session.subscribed(3, { replay: 2 });
    session.message("a", 2, "2");
    await has(first, "live", "2");
    assert.equal(session.count("subscribe"), 1);
    session.message("a", 3, "3");
    await session.subscribed(3, { replay: 1 });
    session.message("a", 3, "3");
    await has(late, "live", "3");
    await has(first, "live", "2", "3");
  });

  test("shouldRestartALateSnapshotThatTheConnectionInterrupted", async () => {
    const first = subscribe();
    await session.subscribed(4);
    const late = subscribe({ from: "snapshot" });
    await session.subscribed(4, { replay: 2 });
    session.message("a", 1, "1");
    await has(late, "live", "1");
    session.cut();
    const next = await node.session();
    next.hello();
    await next.subscribed(4, { recovered: true });
    await until("the first is back", () => first.reported.length === 3);
    assert.equal((await next.subscribed(4, { replay: 2 }))["from"], "snapshot");
    for (const offset of [1, 4, 5]) next.message("a", offset, String(offset));
    await has(first, "live", "pending", "live", "5");
    const anew = ["gap", "gap snapshot-cut", "live", "1 behind snapshot-cut", "4", "5"];
    await has(late, "live", "1", "pending", ...anew);
  });

  test("shouldResumeTheMainStreamIfTheLateObserverLeaves", async () => {
    const [first, late] = await subscribeTwo();
    const { ref } = await session.next("subscribe");
    late.subscription();
    session.send({ type: "subscribed", ref, topic: "a", epoch: EPOCH, offset: 4, replay: 2 });
    const { from } = await session.subscribed(5, { recovered: true, replay: 1 });
    assert.equal((from as { offset: number }).offset, 4);
    session.message("a", 5, "5");
    await has(first, "live", "3", "4", "5");
    assert.deepEqual(late.reported, []);
    assert.equal(session.count("unsubscribe"), 2);
  });

  test("shouldPromoteTheLateStreamIfTheOthersLeave", async () => {
    const [first, late] = await subscribeTwo();
    await session.subscribed(9, { replay: 1 });
    first.subscription();
    for (const offset of [9, 10]) session.message("a", offset, String(offset));
    await has(late, "live", "9", "10");
    assert.equal(session.count("subscribe"), 2);
    late.subscription();
    await session.next("unsubscribe");
    await until("it is withdrawn", () => session.count("unsubscribe") === 2);
  });

  test("shouldReportARefusalOnlyToTheLateObserver", async () => {
    const [first, late] = await subscribeTwo();
    const { ref } = await session.next("subscribe");
    session.send({ type: "error", ref, code: "forbidden", message: "", topic: "a" });
    await session.subscribed(4, { recovered: true });
    session.message("a", 5, "5");
    await has(first, "live", "3", "4", "5");
    await has(late, "refused", "forbidden");
    subscribe({ from: "snapshot" });
    assert.deepEqual((await session.subscribed(5))["from"], { last: 2 });
    await session.subscribed(5);
    session.message("a", 6, "6");
    await has(late, "refused", "forbidden", "pending", "live", "6");
    await has(first, "live", "3", "4", "5", "6");
  });

  test("shouldReportARefusedMainStreamToAllObservers", async () => {
    const [first, late] = await subscribeTwo();
    const waiting = subscribe({ from: "snapshot" });
    await session.subscribed(9);
    const { ref } = await session.next("subscribe");
    session.send({ type: "error", ref, code: "internal", message: "", topic: "a" });
    await has(first, "live", "3", "4", "refused", "internal");
    await has(late, "live", "refused", "internal");
    await has(waiting, "refused", "internal");
  });

  test("shouldDeliverTheRequestedStartToALoop", async () => {
    await subscribeTwo();
    await session.subscribed(4);
    const loop = client.messages("a", { from: { last: 1 } });
    const step = loop.next();
    await session.subscribed(4, { replay: 1 });
    session.message("a", 4, "4");
    assert.equal((await step).value?.payload, "4");
    await loop.return();
  });

  test("shouldRejectAnotherDelivery", async () => {
    await subscribeTwo();
    for (const options of [{ delivery: "latest" }, { from: "snapshot", rate: 1 }] as const) {
      assert.throws(() => subscribe(options), isSluiceError("invalid-argument"));
    }
  });
});

describe("late observers of a busy topic", { timeout: 60_000 }, () => {
  for (const canSend of [true, false]) {
    test(`should neither lose nor repeat messages on a link that ${canSend ? "sends" : "does not send"} while open`, async () => {
      await loadSideStreams();
      const { random, seed } = randomFrom();
      for (let round = 0; round < 200; round++) play(random, canSend, `seed ${String(seed)}`);
    });
  }

  /**
   * Adds and removes observers and links at random; the node has a complete log and answers in
   * time.
   */
  function play(random: () => number, canSend: boolean, seed: string): void {
    const below = (bound: number): number => Math.floor(random() * bound);
    const log = new ReplayingLog();
    const subscriptions = new Subscriptions(
      { now: () => 0, uncertainty: 0 },
      {
        onGap: (gap) => {
          assert.equal(gap.reason, "snapshot-cut", seed);
        },
        onError: (error) => assert.fail(error),
        onHandlerThrew: (error) => assert.fail(String(error)),
      },
    );
    let link = new ReplayingLink(log, subscriptions, canSend);
    subscriptions.onHello({ limits: { overlap: 4_096 } } as Hello);
    link.open();
    const readers = new Set<{ received: number[]; end: Subscription }>();
    const wishes = [
      () => undefined,
      () => "snapshot" as const,
      () => ({ last: 1 + below(5) }),
      () => [...readers][below(readers.size)]?.end.position,
    ];

    const begin = (): void => {
      const from = wishes[below(wishes.length)]?.();
      const received: number[] = [];
      const end = subscriptions.add(
        "a",
        {
          onMessage: ({ offset, gapBefore }) => {
            if (gapBefore) received.length = 0;
            const last = received.at(-1);
            const isInSnapshot = from === "snapshot" && received.length < 2;
            if (last !== undefined && !isInSnapshot) assert.equal(offset, last + 1, seed);
            received.push(offset);
          },
        },
        { from, delivery: undefined, rate: undefined },
      );
      readers.add({ received, end });
    };

    for (let step = 0; step < 300; step++) {
      const dice = random();
      if (dice < 0.35) log.publish();
      else if (dice < 0.42) begin();
      else if (dice < 0.46) {
        const [reader] = readers;
        reader?.end();
        if (reader) readers.delete(reader);
      } else if (dice < 0.48) {
        subscriptions.onLost(random() < 0.5);
        link = new ReplayingLink(log, subscriptions, canSend);
        link.open();
      } else link.step();
    }
    begin();
    link.deliverAll();
    log.publish();
    link.deliverAll();
    for (const { received, end } of readers) {
      assert.equal(end.state.status, "live", seed);
      assert.equal(received.at(-1), log.latest, seed);
    }
  }
});
