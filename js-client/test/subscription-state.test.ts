import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SluiceError } from "../src/engine/errors.js";
import {
  nextState,
  pending,
  type SubscriptionEvent,
  type SubscriptionState,
} from "../src/engine/subscription-state.js";
import { randomFrom } from "./support.js";

const start = { source: "kafka", epoch: "e", offset: 3 };
const error = new SluiceError("forbidden", "no");
const answered: SubscriptionEvent = { type: "answered", ...start, gap: undefined };
const live: SubscriptionState = { status: "live", ...start };
const behindGap: SubscriptionState = { status: "gap", reason: "overload", ...start };
const refused: SubscriptionState = { status: "refused", error };

describe("subscription state", () => {
  test("shouldPassThroughAllStates", () => {
    let state = nextState(pending, answered);
    assert.deepEqual(state, live);
    state = nextState(state, { type: "gap", reason: "overload" });
    assert.deepEqual(state, behindGap);
    state = nextState(state, { type: "message" });
    assert.deepEqual(state, live);
    state = nextState(state, { type: "requested" });
    assert.equal(state, pending);
    state = nextState(state, { ...answered, gap: "not-recovered" });
    assert.deepEqual(state, { status: "gap", reason: "not-recovered", ...start });
    assert.equal(nextState(refused, { type: "requested" }), pending);
  });

  test("shouldReportTheLatestOfTwoGaps", () => {
    const again = nextState(behindGap, { type: "gap", reason: "missing" });
    assert.deepEqual(again, { status: "gap", reason: "missing", ...start });
  });

  test("shouldReportTheStartOfARenewedStreamAndKeepItsGap", () => {
    const renewed = { ...answered, epoch: "f", offset: 9 };
    assert.deepEqual(nextState(live, renewed), { ...live, epoch: "f", offset: 9 });
    assert.deepEqual(nextState(behindGap, renewed), { ...behindGap, epoch: "f", offset: 9 });
  });

  test("shouldNotReportAResumedStreamOfTheSameLog", () => {
    const renewed = { ...answered, offset: 9 };
    assert.equal(nextState(live, renewed), live);
    assert.equal(nextState(behindGap, renewed), behindGap);
  });

  test("shouldIgnoreEventsThatDoNotApply", () => {
    assert.equal(nextState(pending, { type: "requested" }), pending);
    assert.equal(nextState(pending, { type: "message" }), pending);
    assert.equal(nextState(pending, { type: "gap", reason: "overload" }), pending);
    assert.equal(nextState(live, { type: "message" }), live);
    assert.equal(nextState(live, answered), live);
    assert.equal(nextState(refused, { type: "message" }), refused);
    assert.equal(nextState(refused, answered), refused);
  });

  test("shouldBeLiveOnlyIfAMessageFollowsEachGap", () => {
    const { random, seed } = randomFrom();
    const events: readonly SubscriptionEvent[] = [
      answered,
      { ...answered, gap: "not-recovered" },
      { type: "requested" },
      { type: "gap", reason: "missing" },
      { type: "message" },
    ];
    for (let round = 0; round < 200; round++) {
      let state: SubscriptionState = pending;
      let isOpenGap = false;
      for (let step = 0; step < 30; step++) {
        const event: SubscriptionEvent = events[Math.floor(random() * events.length)] ?? answered;
        const before = state.status;
        state = nextState(state, event);
        if (event.type === "answered" && before !== "refused") {
          isOpenGap ||= event.gap !== undefined;
        }
        if (event.type === "gap" && (before === "live" || before === "gap")) isOpenGap = true;
        if (event.type === "message") isOpenGap &&= before !== "gap";
        if (event.type === "requested") isOpenGap = false;
        assert.equal(state.status === "gap", isOpenGap, `seed ${String(seed)}`);
      }
    }
  });
});
