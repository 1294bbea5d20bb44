import { widenOffset, widenReplayedOffset } from "./binary.js";
import { isPosition, MAX_IDS, type From, type Position } from "./position.js";
import { RecentIds } from "./recent-ids.js";
import type { GapReason } from "./subscription-state.js";

/** What a node has said of a subscription's beginning. */
export interface Beginning {
  readonly epoch: string;
  /** That of the last message before the live stream. */
  readonly offset: number;
  /** How many messages from before the live stream follow; undefined for none. */
  readonly replay: number | undefined;
  /** Whether everything since the position comes; undefined if the node was given none. */
  readonly recovered: boolean | undefined;
  /** The node's time, milliseconds since 1970; undefined if the old position's times stay. */
  readonly time: number | undefined;
}

/** What is to be done with a message. */
export interface Verdict {
  /** Tell the application first that the numbers have a hole. */
  readonly hole: boolean;
  /** Hand it to the application; otherwise it has had it. */
  readonly deliver: boolean;
  /** It is from before the live stream. */
  readonly replayed: boolean;
}

const KEPT_IDS = 8;

/**
 * What one subscription keeps so that no message is missed in silence and none comes twice, on
 * whichever connections: PROTOCOL.md, section 8. It does nothing by itself: it is told what comes
 * and says what to do.
 */
export class Continuity {
  /** Messages so far. */
  count = 0;
  readonly #tellHoles: boolean;
  readonly #recent = new RecentIds(MAX_IDS);
  /** The latest identities, newest last; each stands once. */
  readonly #ids: string[] = [];
  /** Where to begin the next time, until this connection's messages say otherwise. */
  #resume: From | undefined;
  #beginning: Beginning | undefined;
  #offset = 0;
  #since: number | undefined;
  #time: number | undefined;
  /** Messages between the latest caught-up and the one before, and since the latest. */
  #sinceEarlier = 0;
  #sinceLatest = 0;
  #overlap = MAX_IDS;
  /** Replayed messages that are still to come. */
  #replayLeft = 0;
  /** Something of this connection's replay has come, or there is none. */
  #replayBegun = false;
  #isSnapshot = false;
  #hasTold = false;
  /** A gap was just told, so the next message need not have the next offset. */
  #holeTold = false;

  /**
   * @param from - Where the application wants to begin; undefined is now.
   * @param tellHoles - Whether a hole in the numbers means that messages are missing.
   */
  constructor(from: From | undefined, tellHoles: boolean) {
    this.#resume = from;
    this.#tellHoles = tellHoles;
  }

  /** Where the subscription stands; undefined while there is nothing to which one could return. */
  get position(): Position | undefined {
    const { next } = this;
    return isPosition(next) ? next : undefined;
  }

  /** With what `from` a node would have to be asked now. */
  get next(): From | undefined {
    if (this.#beginning === undefined || !this.#replayBegun) return this.#resume;
    if (this.#replayLeft > 0 && this.#isSnapshot) return "snapshot";
    return {
      epoch: this.#beginning.epoch,
      offset: this.#offset,
      ids: this.#ids.length > 0 ? [...this.#ids] : undefined,
      since: this.#since,
      time: this.#isTimeSafe() ? this.#time : undefined,
    };
  }

  /** Whether the application was given a message, or told of a gap. */
  get hasTold(): boolean {
    return this.#hasTold;
  }

  /** Replayed messages are still to come. */
  get isReplaying(): boolean {
    return this.#replayLeft > 0;
  }

  /** Whether nothing has come of this stream that has not come of the other one, or the reverse. */
  isWhere(other: Continuity): boolean {
    const isSameStream = this.#beginning?.epoch === other.#beginning?.epoch;
    return isSameStream && this.#offset === other.#offset;
  }

  /** The node is asked anew; returns with what `from`. */
  onSubscribe(): From | undefined {
    this.#resume = this.next;
    this.#beginning = undefined;
    return this.#resume;
  }

  /**
   * The node has answered.
   *
   * @param overlap - How many identities the node wants to be remembered.
   * @returns why the application has to be told that messages may be missing, if it has to
   */
  onSubscribed(beginning: Beginning, overlap: number): GapReason | undefined {
    const resume = this.#resume;
    const old = isPosition(resume) ? resume : undefined;
    const recovered = beginning.recovered === true ? old : undefined;
    const isLost = old !== undefined && !recovered;
    this.#recent.extendTo(overlap);
    this.#overlap = overlap;
    const isCut = old === undefined && this.#hasTold;
    this.#hasTold ||= isLost;
    if (isLost || isCut) this.#recent.clear();
    this.#isSnapshot = resume === "snapshot" || isLost;
    this.#begin(beginning, recovered);
    if (isLost) return "not-recovered";
    return isCut ? "snapshot-cut" : undefined;
  }

  /** The whole offset of a message of which only the low 32 bits have come. */
  wholeOffset(low: number): number {
    return this.#replayLeft > 0
      ? widenReplayedOffset(this.#beginning?.offset ?? 0, low)
      : widenOffset(this.#offset, low);
  }

  /** A message has come. */
  onMessage(offset: number, id: string): Verdict {
    const replayed = this.#replayLeft > 0;
    const hole = this.#isHole(offset, replayed);
    if (replayed) this.#moveReplay(offset);
    else this.#offset = Math.max(this.#offset, offset);
    this.#holeTold = false;
    this.#sinceLatest++;
    this.count++;
    const deliver = this.remember(id);
    this.#hasTold ||= hole || deliver;
    return { hole, deliver, replayed };
  }

  /** The node has told of a gap; the next message is live and above `offset`. */
  onGap({ offset, time }: { readonly offset: number; readonly time: number }): void {
    this.#offset = Math.max(this.#offset, offset);
    this.#since = time;
    this.#time = undefined;
    this.#sinceEarlier = this.#sinceLatest = this.#replayLeft = 0;
    this.#replayBegun = this.#holeTold = this.#hasTold = true;
  }

  /** Whatever the broker took before `time` stands before this. */
  onCaughtUp(time: number): void {
    // What a replay still owes may be from before; to have no time yet is never wrong.
    if (this.#replayLeft > 0) return;
    this.#time = time;
    this.#sinceEarlier = this.#sinceLatest;
    this.#sinceLatest = 0;
  }

  /** Remembers an identity; returns whether it was unknown. */
  remember(id: string): boolean {
    const isNew = this.#recent.add(id);
    const at = isNew ? -1 : this.#ids.indexOf(id);
    if (at >= 0) this.#ids.splice(at, 1);
    else if (this.#ids.length === KEPT_IDS) this.#ids.shift();
    this.#ids.push(id);
    return isNew;
  }

  #begin(beginning: Beginning, recovered: Position | undefined): void {
    this.#beginning = beginning;
    this.#offset = beginning.offset;
    this.#replayLeft = beginning.replay ?? 0;
    this.#replayBegun = this.#replayLeft === 0;
    this.#holeTold = false;
    this.#since = beginning.time ?? recovered?.since;
    this.#time = recovered?.time;
    if (!recovered) this.#sinceEarlier = this.#sinceLatest = 0;
    // A position that the application has kept knows identities that this memory does not.
    this.#ids.length = 0;
    for (const id of recovered?.ids ?? []) this.remember(id);
  }

  /** Whether all that may be sent again since a margin before the time is still remembered. */
  #isTimeSafe(): boolean {
    return this.#sinceEarlier + this.#sinceLatest <= this.#overlap / 2;
  }

  #isHole(offset: number, replayed: boolean): boolean {
    if (!this.#tellHoles || this.#holeTold || !this.#replayBegun) return false;
    return !(replayed && this.#isSnapshot) && offset > this.#offset + 1;
  }

  #moveReplay(offset: number): void {
    this.#replayBegun = true;
    this.#replayLeft--;
    this.#offset = this.#replayLeft === 0 ? (this.#beginning?.offset ?? offset) : offset;
  }
}
