import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { WebSocket } from "ws";
import type { ClockEstimate } from "../src/engine/clock.js";
import { connect, type Client } from "../src/index.js";
import type { Link } from "../src/transport/link.js";
import { Liveness } from "../src/transport/liveness.js";
import { HandClock } from "./hand-clock.js";
import { ScriptedNode, type ScriptedSession } from "./scripted-node.js";
import { until } from "./support.js";

const HOUR_MS = 3_600_000;

/** Browser globals that Node lacks; they are defined while a test runs. */
class Browser {
  readonly window = new EventTarget();
  readonly document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  readonly navigator = { onLine: true };

  install(): void {
    const addEventListener = this.window.addEventListener.bind(this.window);
    const { document, navigator } = this;
    for (const [name, value] of Object.entries({ addEventListener, document, navigator })) {
      Object.defineProperty(globalThis, name, { value, configurable: true });
    }
  }

  remove(): void {
    for (const name of ["addEventListener", "document", "navigator"]) {
      Reflect.deleteProperty(globalThis, name);
    }
  }

  tell(name: string, target: EventTarget = this.window): void {
    target.dispatchEvent(new Event(name));
  }
}

describe("network and page", { timeout: 300_000 }, () => {
  let browser: Browser;
  let node: ScriptedNode;
  let client: Client;
  let session: ScriptedSession;

  beforeEach(async () => {
    browser = new Browser();
    browser.install();
    node = await ScriptedNode.start();
    // Without the browser's event the next attempt is half an hour away, with it a second.
    client = connect(node.url, {
      WebSocket,
      minBackoff: HOUR_MS,
      maxBackoff: HOUR_MS,
      random: () => 0.5,
    });
    session = await node.session();
    session.hello();
    await until("open", () => client.state.status === "open");
    await session.next("ping");
  });

  afterEach(async () => {
    client.close();
    browser.remove();
    await node.stop();
  });

  async function lose(): Promise<void> {
    session.close(1001);
    await until("lost", () => client.state.status === "connecting");
  }

  const returns: readonly (readonly [string, string, "window" | "document"])[] = [
    ["the network is back", "online", "window"],
    ["the page is shown", "visibilitychange", "document"],
    ["the page comes from the cache", "pageshow", "window"],
    ["the page is thawed", "resume", "document"],
  ];

  for (const [what, name, target] of returns) {
    test(`shouldReconnectAtOnceWhen ${what}`, async () => {
      await lose();
      browser.tell(name, browser[target]);
      await node.session();
    });

    test(`shouldSendAPingWhen ${what}`, async () => {
      browser.tell(name, browser[target]);
      await session.next("ping");
      assert.equal(client.state.status, "open");
    });
  }

  test("shouldSendAPingWhenTheNetworkIsLost", async () => {
    browser.navigator.onLine = false;
    browser.tell("offline");
    await session.next("ping");
  });

  test("shouldDoNothingWhenThePageIsHidden", async () => {
    await lose();
    browser.document.visibilityState = "hidden";
    browser.tell("visibilitychange", browser.document);
    assert.ok(client.state.status === "connecting" && client.state.retryAt !== undefined);
  });

  test("shouldWaitForARandomTimeAlsoWithoutANetwork", async () => {
    browser.navigator.onLine = false;
    await lose();
    assert.ok(client.state.status === "connecting" && client.state.retryAt !== undefined);
    const wait = client.state.retryAt - Date.now();
    assert.ok(wait > 0.4 * HOUR_MS && wait <= 0.5 * HOUR_MS, String(wait));
  });

  test("shouldNotReconnectInTheSameMomentAsAllOthers", async () => {
    await lose();
    browser.tell("online");
    assert.equal(node.sessions.length, 1);
    await node.session();
  });

  test("shouldRemoveItsListenersOnClose", async () => {
    client.close();
    browser.tell("online");
    await until("closed", () => session.closeCode === 1000);
    assert.equal(node.sessions.length, 1);
  });
});

describe("liveness", () => {
  const INTERVAL_MS = 25_000;

  function scene() {
    const clock = new HandClock();
    const reported: string[] = [];
    let ref = 0;
    const link = {
      nextRef: () => ++ref,
      send: () => reported.push("ping"),
      terminate: () => {
        reported.push("dead");
        liveness.stop();
      },
    };
    const estimate = { add: () => undefined } as unknown as ClockEstimate;
    const liveness = new Liveness(link as unknown as Link, clock, estimate, INTERVAL_MS, () => 1);
    return { clock, reported, liveness };
  }

  test("shouldDetectAHalfOpenLinkWithinTwoIntervals", () => {
    const { clock, reported, liveness } = scene();
    liveness.onActivity();
    clock.pass(INTERVAL_MS);
    assert.deepEqual(reported, ["ping", "ping"]);
    clock.pass(INTERVAL_MS);
    assert.deepEqual(reported, ["ping", "ping", "dead"]);
  });

  test("shouldDetectADeadLinkSoonAfterAProbe", () => {
    const { clock, reported, liveness } = scene();
    liveness.onActivity();
    clock.pass(1_000);
    liveness.probe();
    clock.pass(3_000);
    liveness.probe();
    assert.deepEqual(reported, ["ping", "ping"]);
    clock.pass(2_000);
    assert.deepEqual(reported, ["ping", "ping", "dead"]);
  });

  test("shouldKeepALinkThatAnswersAProbe", () => {
    const { clock, reported, liveness } = scene();
    liveness.probe();
    clock.pass(4_999);
    liveness.onActivity();
    clock.pass(INTERVAL_MS - 1);
    assert.deepEqual(reported, ["ping", "ping"]);
    clock.pass(1);
    assert.deepEqual(reported, ["ping", "ping", "ping"]);
  });

  test("shouldProbeAfterASleepInsteadOfGivingUp", () => {
    const { clock, reported, liveness } = scene();
    liveness.onActivity();
    clock.pass(INTERVAL_MS);
    clock.sleep(HOUR_MS);
    assert.deepEqual(reported, ["ping", "ping", "ping"]);
    clock.pass(4_999);
    assert.deepEqual(reported, ["ping", "ping", "ping"]);
    clock.pass(1);
    assert.deepEqual(reported, ["ping", "ping", "ping", "dead"]);
  });

  test("shouldDetectADeadLinkEvenIfTimersAreLate", () => {
    const { clock, reported } = scene();
    clock.sleep(HOUR_MS);
    clock.sleep(60_000);
    assert.deepEqual(reported, ["ping", "ping", "dead"]);
  });
});
