import type { Hello } from "../src/engine/frames.js";
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import { connect, type Client, type SubscribeOptions } from "../src/index.js";
import type { Attachment } from "../src/engine/observed-topic.js";
import type { Subscription } from "../src/engine/observer.js";
import type { Position } from "../src/engine/position.js";
import { Subscriptions } from "../src/engine/subscriptions.js";
import { ReplayingLink, ReplayingLog } from "./replaying-log.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { randomFrom, until } from "./support.js";

interface Received {
  readonly reported: string[];
  readonly subscription: Subscription;
}

describe("late observers", { timeout: 60_000 }, () => {
  let node: ScriptedNode;
  let client: Client;
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

  interface Two {
    readonly first: Received;
    readonly late: Received;
    /** Number of the late observer's subscription. */
    readonly ref: number;
  }

  /** Subscribes an observer that has received two messages, and a later one from the last two. */
  async function subscribeTwo(): Promise<Two> {
    const first = subscribe();
    await session.subscribed(2);
    session.message("a", 3, "3");
    session.message("a", 4, "4");
    await has(first, "live", "3", "4");
    const late = subscribe({ from: { last: 2 } });
    const { ref, tagged, from } = await session.subscribed(4, { replay: 2 });
    assert.deepEqual([tagged, from], [true, { last: 2 }]);
    return { first, late, ref: Number(ref) };
  }

  function has(received: Received, ...reported: readonly string[]): Promise<void> {
    return until(`${reported.join(", ")} instead of ${received.reported.join(", ")}`, () => {
      return received.reported.join() === reported.join();
    });
  }

  test("shouldReplayToALateObserverOnItsOwnSubscription", async () => {
    const { first, late, ref } = await subscribeTwo();
    assert.equal(late.subscription.state.status, "pending");
    assert.equal(late.subscription.position, undefined);
    for (const offset of [3, 4, 5]) session.message("a", offset, String(offset), { ref });
    session.message("a", 5, "5");
    await has(first, "live", "3", "4", "5");
    await has(late, "live", "3", "4", "5");
    assert.equal(session.count("subscribe"), 2);
    assert.equal(session.count("unsubscribe"), 0);
    assert.equal((late.subscription.position as Position | undefined)?.offset, 5);
  });

  test("shouldShareALiveSubscriptionWithoutAStart", async () => {
    const { first } = await subscribeTwo();
    const next = subscribe();
    session.message("a", 5, "5");
    await has(next, "live", "5");
    await has(first, "live", "3", "4", "5");
    assert.equal(session.count("subscribe"), 2);
  });

  test("shouldShareAStartUntilItsFirstMessage", async () => {
    await subscribeTwo();
    const snapshot = subscribe({ from: "snapshot" });
    const same = subscribe({ from: "snapshot" });
    const { ref } = await session.subscribed(4, { replay: 1 });
    session.message("a", 4, "4", { ref });
    await has(snapshot, "live", "4");
    await has(same, "live", "4");
    subscribe({ from: "snapshot" });
    assert.equal((await session.next("subscribe"))["from"], "snapshot");
    assert.equal(session.count("subscribe"), 4);
  });

  test("shouldReportAGapOnlyToItsSubscription", async () => {
    const { first, late, ref } = await subscribeTwo();
    session.message("a", 3, "3", { ref });
    session.send({ type: "gap", ref, topic: "a", reason: "overload", offset: 4, time: 1 });
    session.message("a", 5, "5", { ref });
    session.message("a", 5, "5");
    await has(first, "live", "3", "4", "5");
    await has(late, "live", "3", "gap", "gap overload", "live", "5 behind overload");
  });

  test("shouldResumeEachSubscriptionAtItsPosition", async () => {
    const { first, late, ref } = await subscribeTwo();
    session.message("a", 3, "3", { ref });
    await has(late, "live", "3");
    session.cut();
    const next = await node.session();
    next.hello();
    const one = await next.subscribed(5, { epoch: "00", recovered: true, replay: 1 });
    const other = await next.subscribed(5, { epoch: "00", recovered: true, replay: 3 });
    assert.deepEqual([one["tagged"], other["tagged"]], [undefined, true]);
    assert.equal((one["from"] as Position).offset, 4);
    assert.equal((other["from"] as Position).offset, 3);
    for (const offset of [3, 4, 5])
      next.message("a", offset, String(offset), { ref: other["ref"] });
    next.message("a", 5, "5");
    await has(first, "live", "3", "4", "pending", "live", "5");
    await has(late, "live", "3", "pending", "live", "4", "5");
  });

  test("shouldRestartALateSnapshotThatTheConnectionInterrupted", async () => {
    const first = subscribe();
    await session.subscribed(4);
    const late = subscribe({ from: "snapshot" });
    const { ref } = await session.subscribed(4, { replay: 2 });
    session.message("a", 1, "1", { ref });
    await has(late, "live", "1");
    session.cut();
    const next = await node.session();
    next.hello();
    await next.subscribed(4, { recovered: true });
    const again = await next.subscribed(4, { replay: 2 });
    assert.equal(again["from"], "snapshot");
    for (const offset of [1, 4, 5]) {
      next.message("a", offset, String(offset), { ref: again["ref"] });
    }
    await has(first, "live", "pending", "live");
    const anew = ["gap", "gap snapshot-cut", "live", "1 behind snapshot-cut", "4", "5"];
    await has(late, "live", "1", "pending", ...anew);
  });

  test("shouldEndOnlyTheSubscriptionOfAnObserver", async () => {
    const { first, late, ref } = await subscribeTwo();
    late.subscription.unsubscribe();
    assert.equal((await session.next("unsubscribe"))["subscription"], ref);
    session.message("a", 3, "3", { ref });
    session.message("a", 5, "5");
    await has(first, "live", "3", "4", "5");
    assert.ok(!late.reported.includes("3"));
  });

  test("shouldKeepALateSubscriptionAfterThePlainOne", async () => {
    const { first, late, ref } = await subscribeTwo();
    first.subscription.unsubscribe();
    assert.equal((await session.next("unsubscribe"))["subscription"], undefined);
    for (const offset of [3, 4, 5]) session.message("a", offset, String(offset), { ref });
    await has(late, "live", "3", "4", "5");
    const next = subscribe();
    session.message("a", 6, "6", { ref });
    await has(next, "live", "6");
    subscribe({ rate: 1 });
    assert.equal((await session.next("subscribe"))["tagged"], undefined);
  });

  test("shouldReportARefusalOnlyToItsObservers", async () => {
    const first = subscribe();
    await session.subscribed(2);
    const late = subscribe({ from: "snapshot" });
    const { ref } = await session.next("subscribe");
    session.send({ type: "error", ref, code: "forbidden", message: "", topic: "a" });
    await has(late, "refused", "forbidden");
    session.message("a", 3, "3");
    await has(first, "live", "3");
    const again = subscribe({ from: "snapshot" });
    const { ref: number } = await session.subscribed(3, { replay: 1 });
    session.message("a", 3, "3", { ref: number });
    await has(late, "refused", "forbidden", "pending", "live", "3");
    await has(again, "live", "3");
  });

  test("shouldRefuseASecondSubscriptionOfANodeWithoutTags", async () => {
    const first = subscribe();
    const late = subscribe({ rate: 1 });
    await session.subscribed(2);
    const { ref } = await session.next("subscribe");
    session.send({ type: "error", ref, code: "already-subscribed", message: "", topic: "a" });
    await has(late, "refused", "already-subscribed");
    first.subscription.unsubscribe();
    session.cut();
    const next = await node.session();
    next.hello();
    await next.subscribed(2, { tagged: undefined });
    await has(late, "refused", "already-subscribed", "pending", "refused", "unsupported");
  });

  test("shouldDeliverTheRequestedStartToALoop", async () => {
    await subscribeTwo();
    const loop = client.messages("a", { from: { last: 1 } });
    const step = loop.next();
    const { ref } = await session.subscribed(4, { replay: 1 });
    session.message("a", 4, "4", { ref });
    assert.equal((await step).value?.payload, "4");
    await loop.return();
  });
});

describe("late observers of a busy topic", { timeout: 60_000 }, () => {
  for (const canSend of [true, false]) {
    test(`should neither lose nor repeat messages on a link that ${canSend ? "sends" : "does not send"} while open`, () => {
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
    const readers = new Set<{
      received: number[];
      source: Attachment["source"];
      end: () => void;
    }>();
    const wishes = [
      () => undefined,
      () => "snapshot" as const,
      () => ({ last: 1 + below(5) }),
      () => [...readers][below(readers.size)]?.source.position,
    ];

    const begin = (): void => {
      const from = wishes[below(wishes.length)]?.();
      const received: number[] = [];
      const { source, end } = subscriptions.add(
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
      readers.add({ received, source, end });
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
    for (const { received, source } of readers) {
      assert.equal(source.state.status, "live", seed);
      assert.equal(received.at(-1), log.latest, seed);
    }
  }
});
