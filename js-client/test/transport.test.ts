import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { trialTime } from "../src/transport/http-socket.js";
import type { Transport } from "../src/engine/options.js";
import { firstRoute, helloTimeout, routeAfter, type TryEnd } from "../src/transport/transport.js";

const BOTH: readonly Transport[] = ["websocket", "http"];
const MISS: TryEnd = { hello: false, code: 1006 };
const HELLO: TryEnd = { hello: true, code: 1006 };
const OVER: TryEnd = { hello: true, code: 4101 };

/** Returns the first route and the route after each of these ends. */
function tries(ends: readonly TryEnd[], allowed = BOTH): string {
  let route = firstRoute(allowed);
  const tried: string[] = [route.transport];
  for (const end of ends) {
    route = routeAfter(route, end, allowed);
    tried.push(route.transport);
  }
  return tried.map((transport) => (transport === "http" ? "H" : "W")).join("");
}

describe("choice of the transport", () => {
  const cases: readonly (readonly [string, readonly TryEnd[], string])[] = [
    ["begin with a WebSocket", [], "W"],
    ["go to HTTP after the first miss", [MISS], "WH"],
    ["alternate while neither works", [MISS, MISS, MISS, MISS], "WHWHW"],
    ["stay with WebSockets that work", [HELLO, HELLO, HELLO], "WWWW"],
    ["take three misses where WebSockets have worked", [HELLO, MISS, MISS, MISS], "WWWWH"],
    ["count only misses in a row", [HELLO, MISS, MISS, HELLO, MISS, MISS], "WWWWWWW"],
    ["alternate after three misses", [HELLO, MISS, MISS, MISS, MISS, MISS], "WWWWHWH"],
    ["look for a WebSocket when a stream is over", [MISS, OVER, MISS, OVER], "WHWHW"],
    ["look for a WebSocket when a stream breaks", [MISS, HELLO], "WHW"],
    ["stay with the WebSocket that was found", [MISS, OVER, HELLO, MISS, MISS], "WHWWWW"],
    [
      "take a code that only nodes know for a WebSocket that works",
      [{ ...MISS, code: 4100 }],
      "WW",
    ],
  ];

  for (const [what, ends, expected] of cases) {
    test(`should ${what}`, () => {
      assert.equal(tries(ends), expected);
    });
  }

  test("shouldUseOnlyPermittedTransports", () => {
    assert.equal(tries([MISS, MISS, HELLO, MISS, MISS, MISS, MISS], ["websocket"]), "WWWWWWWW");
    assert.equal(tries([MISS, OVER, HELLO], ["http"]), "HHHH");
  });

  test("shouldProbeWebSocketBrieflyWhileHttpWorks", () => {
    const first = firstRoute(BOTH);
    const http = routeAfter(first, MISS, BOTH);
    const probe = routeAfter(http, OVER, BOTH);
    const again = routeAfter(probe, MISS, BOTH);
    const broken = routeAfter(again, MISS, BOTH);
    const timeouts = [first, http, probe, again, broken].map((route) =>
      helloTimeout(route, 10_000),
    );
    assert.deepEqual(timeouts, [10_000, 10_000, 3_000, 10_000, 10_000]);
    assert.equal(helloTimeout(probe, 50), 50);
  });

  test("shouldProbeWebSocketSoonIfItHasWorked", () => {
    const ends = [HELLO, MISS, MISS, MISS, OVER, MISS];
    const trials: (number | undefined)[] = [];
    let route = firstRoute(BOTH);
    for (const end of ends) {
      route = routeAfter(route, end, BOTH);
      if (route.transport === "http") trials.push(trialTime(route, () => 0.5));
    }
    assert.deepEqual(trials, [20_000, undefined]);
    assert.equal(
      trialTime(routeAfter(firstRoute(BOTH), MISS, BOTH), () => 0.5),
      undefined,
    );
  });
});
