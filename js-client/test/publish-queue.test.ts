import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WebSocket } from "ws";
import type { SluiceError } from "../src/errors.js";
import type { Limits } from "../src/frames.js";
import type { Link } from "../src/link.js";
import { toSettings } from "../src/options.js";
import { PublishQueue } from "../src/publish-queue.js";
import { HandClock } from "./hand-clock.js";

describe("publishes", () => {
  function scene() {
    const clock = new HandClock();
    const settings = toSettings("ws://127.0.0.1/ws", { WebSocket, clock, encoding: "json" });
    const publishes = new PublishQueue(settings, () => false);
    const said: string[] = [];
    const failed: string[] = [];
    const link = {
      nextRef: () => said.length + 1,
      send: (frame: string) => {
        said.push((JSON.parse(frame) as { readonly payload: string }).payload);
        return true;
      },
    } as unknown as Link;
    return {
      clock,
      said,
      failed,
      publishes,
      publish: (payload: string) => {
        const publication = {
          requestedAt: clock.now(),
          topic: "a",
          payload,
          properties: undefined,
        };
        publishes.publish(publication).catch((error: unknown) => {
          failed.push((error as SluiceError).code);
        });
      },
      open: (publishRate: number) => {
        publishes.onHello(link, { messageBytes: 65_536, publishRate } as Limits);
      },
    };
  }

  const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

  test("shouldSendQueuedPublishesWithinTheRateLimit", () => {
    const { clock, said, publishes, publish, open } = scene();
    numbers(120).forEach(publish);
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
    numbers(3).forEach(publish);
    open(1);
    assert.deepEqual(said, numbers(1));
    clock.pass(2_000);
    assert.deepEqual(said, numbers(3));
  });

  test("shouldRestartWithEachConnection", async () => {
    const { clock, said, failed, publishes, publish, open } = scene();
    numbers(15).forEach(publish);
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
});
