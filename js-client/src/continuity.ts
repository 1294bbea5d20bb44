import { widenOffset, widenReplayedOffset } from "./binary.js";
import { isPosition, MAX_IDS, type From, type Position } from "./position.js";
import { RecentIds } from "./recent-ids.js";
import type { GapReason } from "./subscription-state.js";

/** Start of a subscription's stream, from the node's `subscribed` answer. */
export interface StreamInfo {
  readonly epoch: string;
  /** Offset of the last message before the live stream. */
  readonly offset: number;
  /** Latest id of each partition up to `offset`; undefined unless the source has offsets. */
  readonly ids?: readonly string[] | undefined;
  /** Number of replayed messages that precede the live stream; undefined for none. */
  readonly replay?: number | undefined;
  /**
   * True if everything since the requested position follows; undefined if no position was
   * requested.
   */
  readonly recovered?: boolean | undefined;
  /** Node time, milliseconds since 1970; undefined if the old position's times remain valid. */
  readonly time?: number | undefined;
}

/** Handling of one message. */
export interface Decision {
  /** Report a gap first: offsets are missing before this message. */
  readonly gap: boolean;
  /** Deliver the message; false for a duplicate. */
  readonly deliver: boolean;
  /** The message precedes the live stream. */
  readonly replayed: boolean;
}

const POSITION_IDS = 8;
const PARTITION_DIGITS = 4;

/**
 * Position, gap detection and duplicate detection of one subscription across all its connections:
 * PROTOCOL.md, section 8. It performs no I/O: its methods record events and return what the caller
 * has to do.
 */
export class Continuity {
  /** Number of messages so far. */
  count: number;
  readonly #reportHoles: boolean;
  readonly #recent = new RecentIds(MAX_IDS);
  /** Ids of the position, newest last: the highest by partition of an ordered stream. */
  readonly #ids = new Map<string, string>();
  /** Start of the next request, until messages of this connection supersede it. */
  #resumeFrom: From | undefined;
  #info: StreamInfo | undefined;
  #offset = 0;
  #since: number | undefined;
  #time: number | undefined;
  /** Messages between the last two caught-up frames, and since the last one. */
  #countBefore = 0;
  #countSince = 0;
  #overlap = 0;
  /** Number of replayed messages still to come. */
  #replayLeft = 0;
  /** True if a message of this connection's replay has arrived, or there is no replay. */
  #hasReplayStarted = false;
  #isSnapshot = false;
  #hasNotified = false;
  /** A gap was just reported, so the next offset need not be consecutive. */
  #isAfterGap = false;
  /** The last frame that belongs to no known subscription may have been a message of this one. */
  #isSuspect = false;

  /**
   * @param from - Start requested by the application; undefined means now.
   * @param reportHoles - Whether non-consecutive offsets mean that messages are missing.
   */
  constructor(from: From | undefined, reportHoles: boolean) {
    this.count = 0;
    this.#resumeFrom = from;
    this.#reportHoles = reportHoles;
    // A position stored by the application has identities that this instance has not seen.
    for (const id of (from as Partial<Position> | undefined)?.ids ?? []) this.#recent.add(id);
  }

  /** Current position; undefined while there is none from which to resume. */
  get position(): Position | undefined {
    const { next } = this;
    return isPosition(next) ? next : undefined;
  }

  /** Returns the `from` value of a request sent now. */
  get next(): From | undefined {
    if (this.#info === undefined) return this.#resumeFrom;
    if (this.#replayLeft > 0 && this.#isSnapshot) return "snapshot";
    if (!this.#hasReplayStarted) return this.#resumeFrom;
    return {
      epoch: this.#info.epoch,
      offset: this.#offset,
      ids: this.#ids.size ? [...this.#ids.values()] : undefined,
      since: this.#since,
      // Only while every message that may be repeated since then is still remembered.
      time: this.#countBefore + this.#countSince > this.#overlap / 2 ? undefined : this.#time,
    };
  }

  /** Returns whether the application has received a message or a gap. */
  get hasNotified(): boolean {
    return this.#hasNotified;
  }

  /** Returns whether replayed messages are still to come. */
  get isReplaying(): boolean {
    return this.#replayLeft > 0;
  }

  /** Records that a new request is sent; returns its `from` value. */
  onSubscribe(): From | undefined {
    this.#resumeFrom = this.next;
    this.#info = undefined;
    return this.#resumeFrom;
  }

  /**
   * Records the node's answer.
   *
   * @param overlap - Number of message identities that the node requires the client to remember.
   * @returns the reason of the gap to report, if messages may be missing
   */
  onSubscribed(info: StreamInfo, overlap: number): GapReason | undefined {
    const resume = this.#resumeFrom;
    const old = isPosition(resume) ? resume : undefined;
    const recovered = info.recovered ? old : undefined;
    const isLost = !!old && !recovered;
    this.#recent.extendTo(overlap);
    this.#overlap = overlap;
    const isCut = !old && this.#hasNotified;
    this.#hasNotified ||= isLost;
    if (isLost || isCut) this.#recent.clear();
    this.#isSnapshot = resume === "snapshot" || isLost;
    this.#startStream(info, recovered);
    if (isLost) return "not-recovered";
    return isCut ? "snapshot-cut" : undefined;
  }

  /** Returns the full offset of a message from its low 32 bits; undefined if these are unreadable. */
  wholeOffset(low: number | undefined): number | undefined {
    if (low === undefined) return low;
    const replayed = widenReplayedOffset(this.#info?.offset ?? 0, low);
    return this.#replayLeft > 0 && replayed >= 0 ? replayed : widenOffset(this.#offset, low);
  }

  /** Records a message and returns its handling; unreadable members are undefined. */
  onMessage(offset?: number, id?: string): Decision {
    const wasReplaying = this.#replayLeft > 0;
    const next = offset ?? this.#offset + 1;
    const replayed = wasReplaying && !(offset && this.#info && offset > this.#info.offset);
    const gap = wasReplaying !== replayed || this.#hasMissing(next, replayed);
    if (replayed) this.#advanceReplay(this.#hasReplayStarted ? next : offset);
    else {
      this.#replayLeft = 0;
      this.#hasReplayStarted = true;
      this.#offset = Math.max(this.#offset, next);
    }
    this.#isAfterGap = this.#isSuspect = false;
    this.#countSince++;
    this.count++;
    if (id) this.#raise(id);
    const deliver = !id || this.#recent.add(id);
    this.#hasNotified ||= gap || deliver;
    return { gap, deliver, replayed };
  }

  /** Records a gap reported by the node; the next message is live and above `offset`. */
  onGap({ offset, time }: { readonly offset: number; readonly time: number }): void {
    this.#offset = Math.max(this.#offset, offset);
    this.#since = time;
    this.#time = undefined;
    this.#countBefore = this.#countSince = this.#replayLeft = 0;
    this.#hasReplayStarted = this.#isAfterGap = this.#hasNotified = true;
    this.#isSuspect = false;
    // Another stream may use the same ids.
    if (this.#info?.ids) this.#recent.clear();
  }

  /**
   * Records a frame that may have been a message. Until the next message, no time is certain.
   *
   * @returns whether the offset of the next message would not reveal that
   */
  onBadFrame(): boolean {
    this.#isSuspect = true;
    return !this.#reportHoles;
  }

  /** Records that everything the broker accepted before `time` has been received. */
  onCaughtUp(time: number): void {
    // The rest of a replay may be older than `time`; a position without a time is always valid.
    if (this.#replayLeft > 0 || this.#isSuspect) return;
    this.#time = time;
    this.#countBefore = this.#countSince;
    this.#countSince = 0;
  }

  #startStream(info: StreamInfo, recovered: Position | undefined): void {
    this.#info = info;
    this.#offset = info.offset;
    this.#replayLeft = info.replay ?? 0;
    this.#hasReplayStarted = this.#replayLeft === 0;
    this.#isAfterGap = this.#isSuspect = false;
    this.#since = info.time ?? recovered?.since;
    this.#time = recovered?.time;
    if (!recovered) this.#countBefore = this.#countSince = 0;
    this.#ids.clear();
    for (const id of (recovered ?? info).ids ?? []) this.#raise(id);
  }

  /** Adds an identity to the position. */
  #raise(id: string): void {
    const ids = this.#ids;
    const key = this.#info?.ids ? id.slice(0, PARTITION_DIGITS) : id;
    const highest = ids.get(key) ?? id;
    ids.delete(key);
    ids.set(key, highest > id ? highest : id);
    const [oldest = key] = ids.keys();
    if (ids.size > (this.#info?.ids ? MAX_IDS : POSITION_IDS)) ids.delete(oldest);
  }

  #hasMissing(offset: number, replayed: boolean): boolean {
    const mayHaveHoles = replayed && (this.#isSnapshot || this.#info?.ids);
    const isChecked = this.#reportHoles && this.#hasReplayStarted && !this.#isAfterGap;
    return isChecked && !mayHaveHoles && offset > this.#offset + 1;
  }

  #advanceReplay(offset: number | undefined): void {
    const reached = --this.#replayLeft === 0 ? this.#info?.offset : offset;
    // After an unreadable first message, the old position remains.
    if (reached === undefined) return;
    this.#hasReplayStarted = true;
    this.#offset = reached;
  }
}
