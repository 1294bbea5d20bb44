import assert from "node:assert/strict";
import type { Link } from "../src/transport/link.js";
import type { Position } from "../src/engine/position.js";
import type { Subscriptions } from "../src/engine/subscriptions.js";
import { NODE_TIME } from "./scripted-node.js";

const EPOCH = "1f0a6c2b9d3e4f58";
// Snapshots have the newest message of each of two alternating keys.
const KEYS = 2;

interface Subscribe {
  readonly type: string;
  readonly ref: number;
  readonly tagged?: true;
  /** Number of a tagged subscription that ends. */
  readonly subscription?: number;
  readonly from?: "snapshot" | { readonly last: number } | Position;
}

/** Complete log of a topic. */
export class ReplayingLog {
  latest = 0;
  readonly links = new Set<ReplayingLink>();

  publish(): void {
    this.latest++;
    for (const link of this.links) link.onPublished();
  }
}

/**
 * Link to a node with the log. Frames in both directions stay queued until `step` is called. A link
 * without `canSend` sends frames only when it opens, like HTTP.
 */
export class ReplayingLink {
  readonly #log: ReplayingLog;
  readonly #subscriptions: Subscriptions;
  readonly #canSend: boolean;
  #requests: Subscribe[] = [];
  #answers: (() => void)[] = [];
  /** Active subscriptions by number; undefined for the plain one. */
  #live = new Set<number | undefined>();
  #isOpening = false;
  #needsRenewal = false;
  #lastRef = 0;

  constructor(log: ReplayingLog, subscriptions: Subscriptions, canSend: boolean) {
    this.#log = log;
    this.#subscriptions = subscriptions;
    this.#canSend = canSend;
    log.links.clear();
    log.links.add(this);
  }

  /** Opens or renews the link: everything is sent again, and queued answers are dropped. */
  open(): void {
    this.#requests = [];
    this.#answers = [];
    this.#live.clear();
    this.#needsRenewal = false;
    this.#isOpening = true;
    this.#subscriptions.onOpen(this as unknown as Link);
    this.#isOpening = false;
  }

  nextRef(): number {
    return ++this.#lastRef;
  }

  send(frame: string): boolean {
    if (!this.#canSend && !this.#isOpening) {
      this.#needsRenewal = true;
      return false;
    }
    this.#requests.push(JSON.parse(frame) as Subscribe);
    return true;
  }

  onPublished(): void {
    for (const ref of this.#live) this.#message(ref, this.#log.latest);
  }

  /** Delivers the next queued answer, or else the next queued request. */
  step(): void {
    const answer = this.#answers.shift();
    if (answer) answer();
    else this.#handleRequest();
  }

  /** Delivers everything that is queued. */
  deliverAll(): void {
    while (this.#requests.length > 0 || this.#answers.length > 0 || this.#needsRenewal) this.step();
  }

  #handleRequest(): void {
    const request = this.#requests.shift();
    if (request) {
      if (request.type === "subscribe") this.#answer(request);
      else this.#live.delete(request.subscription);
    } else if (this.#needsRenewal && this.#subscriptions.phase !== "opening") {
      this.open();
    }
  }

  #answer({ ref, from, tagged }: Subscribe): void {
    const number = tagged && ref;
    assert.ok(!this.#live.has(number), "already subscribed");
    this.#live.add(number);
    const offset = this.#log.latest;
    const isPosition = typeof from === "object" && "epoch" in from;
    const begin = Math.max(0, isPosition ? from.offset : offset - countOf(from));
    const replay = offset - begin;
    this.#enqueue(() => {
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
        tagged,
      });
    });
    for (let each = begin + 1; each <= offset; each++) this.#message(number, each);
  }

  #message(ref: number | undefined, offset: number): void {
    this.#enqueue(() => {
      this.#subscriptions.onMessage({
        ref,
        kind: "text",
        payload: "",
        topic: "a",
        pattern: undefined,
        offset,
        id: offset.toString(16).padStart(16, "0"),
        time: NODE_TIME,
        properties: {},
        removed: false,
      });
    });
  }

  #enqueue(run: () => void): void {
    this.#answers.push(run);
  }
}

function countOf(from: Exclude<Subscribe["from"], Position>): number {
  if (from === undefined) return 0;
  return from === "snapshot" ? KEYS : from.last;
}
