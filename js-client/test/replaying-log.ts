import type { Link } from "../src/link.js";
import type { Position } from "../src/position.js";
import type { Subscriptions } from "../src/subscriptions.js";
import { NODE_TIME } from "./scripted-node.js";

const EPOCH = "1f0a6c2b9d3e4f58";
// Snapshots have the newest message of each of two keys, which take turns.
const KEYS = 2;

interface Subscribe {
  readonly type: string;
  readonly ref: number;
  readonly from?: "snapshot" | { readonly last: number } | Position;
}

/** A topic's log that has everything. */
export class ReplayingLog {
  latest = 0;
  readonly links = new Set<ReplayingLink>();

  publish(): void {
    this.latest++;
    for (const link of this.links) link.onPublished();
  }
}

/**
 * A link to a node that has the log. What is said, and what is answered, is on its way until it is
 * moved on. On a link that cannot say more everything is said when it opens, as by HTTP.
 */
export class ReplayingLink {
  readonly #log: ReplayingLog;
  readonly #subscriptions: Subscriptions;
  readonly #canSay: boolean;
  #said: Subscribe[] = [];
  #told: (() => void)[] = [];
  #isLive = false;
  #isOpening = false;
  #hasToOpen = false;
  #lastRef = 0;

  constructor(log: ReplayingLog, subscriptions: Subscriptions, canSay: boolean) {
    this.#log = log;
    this.#subscriptions = subscriptions;
    this.#canSay = canSay;
    log.links.clear();
    log.links.add(this);
  }

  /** Also once more: then everything is said again, and nothing of what was told comes any more. */
  open(): void {
    this.#said = [];
    this.#told = [];
    this.#isLive = false;
    this.#hasToOpen = false;
    this.#isOpening = true;
    this.#subscriptions.onOpen(this as unknown as Link);
    this.#isOpening = false;
  }

  nextRef(): number {
    return ++this.#lastRef;
  }

  send(frame: string): boolean {
    if (!this.#canSay && !this.#isOpening) {
      this.#hasToOpen = true;
      return false;
    }
    this.#said.push(JSON.parse(frame) as Subscribe);
    return true;
  }

  onPublished(): void {
    if (this.#isLive) this.#message(this.#log.latest);
  }

  /** The next thing that is told arrives, or the next that was said. */
  move(): void {
    const told = this.#told.shift();
    if (told) told();
    else this.#hear();
  }

  /** Until nothing is on its way. */
  settle(): void {
    while (this.#said.length > 0 || this.#told.length > 0 || this.#hasToOpen) this.move();
  }

  #hear(): void {
    const said = this.#said.shift();
    if (said) {
      this.#isLive = said.type === "subscribe";
      if (this.#isLive) this.#answer(said);
    } else if (this.#hasToOpen && this.#subscriptions.standing !== "opening") {
      this.open();
    }
  }

  #answer({ ref, from }: Subscribe): void {
    const offset = this.#log.latest;
    const isPosition = typeof from === "object" && "epoch" in from;
    const begin = Math.max(0, isPosition ? from.offset : offset - countOf(from));
    const replay = offset - begin;
    this.#tell(() => {
      this.#subscriptions.onSubscribed({
        type: "subscribed",
        ref,
        topic: "a",
        epoch: EPOCH,
        offset,
        replay: replay > 0 ? replay : undefined,
        recovered: isPosition ? true : undefined,
        time: isPosition ? undefined : NODE_TIME,
        channel: undefined,
      });
    });
    for (let each = begin + 1; each <= offset; each++) this.#message(each);
  }

  #message(offset: number): void {
    this.#tell(() => {
      this.#subscriptions.onMessage({
        kind: "text",
        payload: "",
        topic: "a",
        pattern: undefined,
        offset,
        id: offset.toString(16).padStart(16, "0"),
        time: NODE_TIME,
        properties: {},
      });
    });
  }

  #tell(run: () => void): void {
    this.#told.push(run);
  }
}

function countOf(from: Exclude<Subscribe["from"], Position>): number {
  if (from === undefined) return 0;
  return from === "snapshot" ? KEYS : from.last;
}
