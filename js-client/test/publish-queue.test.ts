import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WebSocket } from "ws";
import { SluiceError } from "../src/engine/errors.js";
import type { Hello } from "../src/engine/frames.js";
import { ClientEmitter } from "../src/engine/client-events.js";
import type { Link } from "../src/transport/link.js";
import { toSettings } from "../src/engine/options.js";
import type { PublishOptions } from "../src/engine/publish-options.js";
import { PublishQueue } from "../src/engine/publish-queue.js";
import { HandClock } from "./hand-clock.js";

describe("publishes", () => {
  function scene() {
    const clock = new HandClock();
    const settings = toSettings("ws://127.0.0.1/ws", { WebSocket, clock, encoding: "json" });
    const reported: string[] = [];
    const events = new ClientEmitter();
    events.on("error", ({ code }) => reported.push(code));
    const publishes = new PublishQueue({
      settings,
      events,
      parsers: [() => assert.fail(), () => assert.fail()],
      isPaused: () => false,
    });
    const said: string[] = [];
    const failed: string[] = [];
    const accepted: string[] = [];
    let lastRef = 0;
    const link = {
      nextRef: () => ++lastRef,
      send: (frame: string) => {
        said.push((JSON.parse(frame) as { readonly payload: string }).payload);
        return true;
      },
    } as unknown as Link;
    return {
      clock,
      said,
      failed,
      accepted,
      reported,
      publishes,
      publish: (payload: string, options: PublishOptions = {}) => {
        publishes.publish({ destination: { topic: "a" }, payload, options }).then(
          () => accepted.push(payload),
          (error: unknown) => {
            failed.push((error as SluiceError).code);
          },
        );
      },
      open: (publishRate: number, features?: readonly string[]) => {
        const limits = { messageBytes: 65_536, publishRate };
        publishes.onHello(link, { limits, features } as Hello);
      },
    };
  }

  const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

  test("shouldNameTheRuleThatPermitsAPublish", async () => {
    const { publishes, open } = scene();
    open(1_000);
    const published = publishes.publish({ destination: { topic: "a" }, payload: "", options: {} });
    publishes.onAnswer(1, new SluiceError("forbidden", 'this client may not publish to "a"'));
    await assert.rejects(published, {
      code: "forbidden",
      message:
        /^this client may not publish to "a"; .*`publish` in a rule .*`publish\.topics`\. .*"Secure a node"/,
    });
  });

  test("shouldNameTheRuleThatPermitsASendToAQueue", async () => {
    const { publishes, open } = scene();
    open(1_000);
    const published = publishes.publish({ destination: { queue: "a" }, payload: "", options: {} });
    publishes.onAnswer(1, new SluiceError("forbidden", "no"));
    await assert.rejects(published, { message: /^no; .*`send` in a rule .*`queues\.send`\. / });
  });

  test("shouldSendQueuedPublishesWithinTheRateLimit", () => {
    const { clock, said, publishes, publish, open } = scene();
    for (const number of numbers(120)) publish(number);
    open(100);
    assert.deepEqual(said, numbers(50));
    publish("120");
    clock.pass(499);
    assert.deepEqual(said, numbers(50));
    clock.pass(1);
    assert.deepEqual(said, numbers(100));
    clock.pass(500);
    assert.deepEqual(said, numbers(121), "in the order of the calls");
    publish("121");
    assert.deepEqual(said, numbers(122), "nothing waits any more");
    publishes.onClosed(undefined);
    assert.equal(clock.pendingTimers, 0);
  });

  test("shouldSendOnePerSecondAtTheMinimumRateLimit", () => {
    const { clock, said, publish, open } = scene();
    for (const number of numbers(3)) publish(number);
    open(1);
    assert.deepEqual(said, numbers(1));
    clock.pass(2_000);
    assert.deepEqual(said, numbers(3));
  });

  test("shouldRestartWithEachConnection", async () => {
    const { clock, said, failed, publishes, publish, open } = scene();
    for (const number of numbers(15)) publish(number);
    open(20);
    publishes.onLost();
    assert.equal(said.length, 10);
    await Promise.resolve();
    assert.deepEqual(new Set(failed), new Set(["connection-lost"]));
    clock.pass(1_000);
    assert.equal(said.length, 10, "there is no connection");
    open(20);
    assert.deepEqual(said, numbers(15));
  });

  describe("with an id", () => {
    const features = ["publish-id"];

    test("shouldBeSentAgainBeforeLaterOnesAfterAReconnect", async () => {
      const { said, accepted, failed, publishes, publish, open } = scene();
      open(100, features);
      publish("first", { id: "1" });
      publish("second");
      publish("third", { id: "3" });
      publishes.onAnswer(1);
      publishes.onLost();
      publish("fourth", { id: "4" });
      assert.deepEqual(
        publishes.pending.map(({ id, status }) => [id, status]),
        [
          ["3", "waiting"],
          ["4", "waiting"],
        ],
      );
      open(100, features);
      assert.deepEqual(said, ["first", "second", "third", "third", "fourth"]);
      publishes.onAnswer(4);
      publishes.onAnswer(5);
      await Promise.resolve();
      assert.deepEqual(accepted, ["first", "third", "fourth"]);
      assert.deepEqual(failed, ["connection-lost"]);
      assert.deepEqual(publishes.pending, []);
    });

    test("shouldBeRejectedIfTheNodeCannotDetectRepetitions", async () => {
      const { said, failed, publish, open } = scene();
      publish("first", { id: "1" });
      publish("second");
      open(100, ["queues"]);
      await Promise.resolve();
      assert.deepEqual(failed, ["unsupported"]);
      assert.deepEqual(said, ["second"]);
    });

    test("shouldTimeOutAlthoughTheyAreSentAgain", async () => {
      const { clock, failed, publishes, publish, open } = scene();
      open(100, features);
      publish("first", { id: "1" });
      publishes.onLost();
      clock.pass(30_000);
      await Promise.resolve();
      assert.deepEqual(failed, ["publish-timeout"]);
    });
  });
});
