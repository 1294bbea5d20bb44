import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Continuity, type StreamInfo } from "../src/engine/continuity.js";
import { parseNodeFrame } from "../src/engine/frames.js";
import { RecentIds } from "../src/engine/recent-ids.js";
import { toSubscribeSettings, type SubscribeOptions } from "../src/engine/subscribe-options.js";
import { randomFrom } from "./support.js";

type Step = Readonly<Record<string, unknown>>;

interface Scenario {
  readonly name: string;
  readonly asks: SubscribeOptions;
  readonly steps: readonly Step[];
}

const file = readFileSync("../docs/protocol/continuity.json", "utf8");
const { scenarios } = JSON.parse(file) as { readonly scenarios: readonly Scenario[] };

const EXPECTATIONS = ["subscribe", "gap", "deliver", "drop"];

/** Returns the JSON form, as sent to a node or stored by an application. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Plays one scenario; records the client's actions until the scenario expects them. */
class Player {
  readonly #binary: boolean;
  readonly #continuity: Continuity;
  readonly #done: Step[] = [];
  #overlap = 0;
  #answered = false;

  constructor(asks: SubscribeOptions, binary: boolean) {
    const { from, delivery } = toSubscribeSettings(asks);
    this.#binary = binary;
    this.#continuity = new Continuity(from, delivery !== "latest");
  }

  play(step: Step): void {
    const [[name, value] = ["nothing", undefined]] = Object.entries(step);
    if (EXPECTATIONS.includes(name)) {
      assert.deepEqual(this.#done.shift(), step);
    } else if (name === "position") {
      assert.deepEqual(plain(this.#continuity.position), value);
    } else {
      this.end();
      this.#happen(name, value);
    }
  }

  /** Fails if there was an action that the scenario does not expect. */
  end(): void {
    assert.deepEqual(this.#done, []);
  }

  #happen(name: string, value: unknown): void {
    switch (name) {
      case "connect": {
        this.#overlap = (value as { overlap: number }).overlap;
        const from = this.#continuity.onSubscribe();
        this.#done.push({ subscribe: plain({ from }) });
        return;
      }
      case "disconnect":
        this.#answered = false;
        return;
      case "receive":
        this.#receive(value);
        return;
      default:
        assert.fail(`the scenario has the unknown step ${name}`);
    }
  }

  #receive(value: unknown): void {
    const frame = parseNodeFrame(JSON.stringify(value));
    switch (frame.type) {
      case "subscribed":
        this.#answered = true;
        this.#tell(this.#continuity.onSubscribed(frame, this.#overlap));
        return;
      case "message":
        this.#onMessage(frame.message);
        return;
      case "gap":
        this.#continuity.onGap(frame);
        this.#tell(frame.reason);
        return;
      case "caught-up":
        if (this.#answered) this.#continuity.onCaughtUp(frame.time);
        return;
      default:
        assert.fail(`the scenario has the frame ${frame.type}`);
    }
  }

  #onMessage({ id, offset }: { readonly id: string; readonly offset: number }): void {
    const whole = this.#binary ? this.#continuity.wholeOffset(offset % 2 ** 32) : offset;
    assert.equal(whole, offset, "the offset that was made of 32 bits");
    const { gap, deliver } = this.#continuity.onMessage(whole, id);
    if (gap) this.#tell("missing");
    this.#done.push(deliver ? { deliver: id } : { drop: id });
  }

  #tell(reason: string | undefined): void {
    if (reason !== undefined) this.#done.push({ gap: reason });
  }
}

describe("shared scenarios", () => {
  for (const { name, asks, steps } of scenarios) {
    for (const encoding of ["JSON", "binary"]) {
      test(`shouldPlay "${name}" in ${encoding}`, () => {
        const player = new Player(asks, encoding === "binary");
        for (const [index, step] of steps.entries()) {
          try {
            player.play(step);
          } catch (cause) {
            const where = `step ${String(index + 1)}, ${JSON.stringify(step)}`;
            throw new Error(`${where}: ${String(cause)}`, { cause });
          }
        }
        player.end();
      });
    }
  }
});

function id(number: number): string {
  return number.toString(16).padStart(16, "0");
}

describe("continuity", () => {
  const EPOCH = "aaaaaaaaaaaaaaaa";
  const kept = { epoch: EPOCH, offset: 57, ids: [id(7)], since: 500, time: 1_000 };

  function beginning(offset: number, members: Partial<StreamInfo> = {}): StreamInfo {
    return { epoch: EPOCH, offset, replay: 0, recovered: undefined, time: 5_000, ...members };
  }

  test("shouldReportAHoleInTheLiveStreamOnce", () => {
    const continuity = new Continuity(undefined, true);
    continuity.onSubscribed(beginning(41), 16);
    assert.equal(continuity.onMessage(43, id(1)).gap, true);
    assert.equal(continuity.onMessage(44, id(2)).gap, false);
  });

  test("shouldReportAHoleBeforeADroppedMessage", () => {
    const continuity = new Continuity(undefined, true);
    continuity.onSubscribed(beginning(41), 16);
    continuity.onMessage(42, id(1));
    const verdict = continuity.onMessage(44, id(1));
    assert.deepEqual(verdict, { gap: true, deliver: false, replayed: false });
  });

  test("shouldNotReportAHoleAfterAGapOfTheNode", () => {
    const continuity = new Continuity(undefined, true);
    continuity.onSubscribed(beginning(41), 16);
    continuity.onGap({ offset: 43, time: 6_000 });
    assert.equal(continuity.onMessage(45, id(1)).gap, false);
    assert.equal(continuity.onMessage(47, id(2)).gap, true);
  });

  test("shouldReportAHoleInAReplayUnlessItIsASnapshot", () => {
    for (const from of [{ last: 2 }, "snapshot"] as const) {
      const continuity = new Continuity(from, true);
      continuity.onSubscribe();
      continuity.onSubscribed(beginning(41, { replay: 2 }), 16);
      assert.equal(continuity.onMessage(30, id(1)).gap, false);
      assert.equal(continuity.onMessage(32, id(2)).gap, from !== "snapshot");
      assert.equal(continuity.onMessage(42, id(3)).gap, false);
    }
  });

  test("shouldMarkReplayedMessages", () => {
    const continuity = new Continuity({ last: 1 }, true);
    continuity.onSubscribed(beginning(41, { replay: 1 }), 16);
    assert.equal(continuity.onMessage(41, id(1)).replayed, true);
    assert.equal(continuity.onMessage(42, id(2)).replayed, false);
  });

  test("shouldTreatAnAnswerWithoutRecoveredAsALoss", () => {
    const continuity = new Continuity(kept, true);
    continuity.onSubscribe();
    assert.equal(continuity.onSubscribed(beginning(3), 16), "not-recovered");
    assert.deepEqual(plain(continuity.position), { epoch: EPOCH, offset: 3, since: 5_000 });
  });

  test("shouldNotAdvanceTheTimeDuringAReplay", () => {
    const continuity = new Continuity(kept, true);
    continuity.onSubscribe();
    continuity.onSubscribed(beginning(60, { replay: 2, recovered: true, time: undefined }), 16);
    continuity.onMessage(59, id(1));
    continuity.onCaughtUp(9_000);
    assert.equal(continuity.position?.time, 1_000);
    continuity.onMessage(60, id(2));
    continuity.onCaughtUp(9_500);
    assert.equal(continuity.position.time, 9_500);
  });

  test("shouldReturnAnImmutablePosition", () => {
    const continuity = new Continuity(undefined, true);
    continuity.onSubscribed(beginning(41), 16);
    continuity.onMessage(42, id(1));
    const position = continuity.position;
    continuity.onMessage(43, id(2));
    const expected = { epoch: EPOCH, offset: 42, ids: [id(1)], since: 5_000 };
    assert.deepEqual(plain(position), expected);
  });
});

describe("recent identities", () => {
  test("shouldRememberAtLeastTheLimitAndLessThanTwice", () => {
    const { random, seed } = randomFrom();
    for (const limit of [1, 2, 16, 100, 4_096]) {
      const recent = new RecentIds(limit);
      const added: string[] = [];
      for (let round = 0; round < 3 * limit + 20; round++) {
        // Unique for any sequence of random numbers.
        const fresh = id(Math.floor(random() * 2 ** 21) * 2 ** 32 + round);
        added.push(fresh);
        assert.ok(recent.add(fresh), `seed ${String(seed)}, limit ${String(limit)}`);
      }
      const latest = added.slice(-limit).every((known) => !recent.add(known));
      assert.ok(latest, `seed ${String(seed)}, limit ${String(limit)}`);
      const tooOld = added.at(-2 * limit - 1) ?? "";
      assert.ok(recent.add(tooOld), `seed ${String(seed)}, limit ${String(limit)}`);
    }
  });

  test("shouldAgreeWithASetUntilIdsAreEvicted", () => {
    const { random, seed } = randomFrom();
    const recent = new RecentIds(100_000);
    const plain = new Set<string>();
    for (let round = 0; round < 50_000; round++) {
      const next = id(Math.floor(random() * 20_000) * 2 ** 20);
      assert.equal(recent.add(next), !plain.has(next), `seed ${String(seed)}`);
      plain.add(next);
    }
  });

  test("shouldDistinguishIdsThatShareAWord", () => {
    const recent = new RecentIds(16);
    const all = ["0000000000000000", "0000000000000001", "0000000100000000", "0000000100000001"];
    for (const one of [...all, "ffffffffffffffff"]) assert.equal(recent.add(one), true, one);
    for (const one of [...all, "FFFFFFFFFFFFFFFF"]) assert.equal(recent.add(one), false, one);
  });

  test("shouldRetainARepeatedIdLonger", () => {
    const recent = new RecentIds(16);
    for (let n = 0; n < 16; n++) recent.add(id(n));
    recent.add(id(0));
    for (let n = 16; n < 31; n++) recent.add(id(n));
    assert.equal(recent.add(id(0)), false);
  });

  test("shouldRemoveAllOnClear", () => {
    const recent = new RecentIds(16);
    for (let n = 0; n < 20; n++) recent.add(id(n));
    recent.clear();
    for (let n = 0; n < 20; n++) assert.equal(recent.add(id(n)), true);
  });

  test("shouldRetainIdsWhenTheLimitGrows", () => {
    const recent = new RecentIds(1);
    recent.limit = 3;
    for (const n of [1, 2, 3]) recent.add(id(n));
    for (const n of [1, 2, 3]) assert.equal(recent.add(id(n)), false);
  });
});
