import { widenOffset, widenReplayedOffset } from "./binary.js";
import { MAX_IDS, positionOf, type From, type Position } from "./position.js";
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

/** Gap reported by the node. With `epoch` and `ids`, another stream begins. */
export interface StreamGap extends Pick<StreamInfo, "offset" | "ids"> {
  readonly epoch?: string | undefined;
  readonly time: number;
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

/** Number of identities that a stored position can have. */
const MIN_OVERLAP = 16;
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
  readonly #recent = new RecentIds(MIN_OVERLAP);
  /** Ids of the position, newest last: the highest by partition of an ordered stream. */
  readonly #ids = new Map<string, string>();
  /** Start of the next request, until messages of this connection supersede it. */
  #resumeFrom: From | undefined;
  #info: StreamInfo | undefined;
  #offset = 0;
  #since: number | undefined;
  #time: number | undefined;
  /** Value of `count` at the last caught-up frame, and at the one before. */
  #caughtUp = 0;
  #caughtUpBefore = 0;
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
    for (const id of positionOf(from)?.ids ?? []) this.#recent.add(id);
  }

  /** Current position; undefined while there is none from which to resume. */
  get position(): Position | undefined {
    return positionOf(this.next);
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
      time: this.count - this.#caughtUpBefore > this.#recent.limit / 2 ? undefined : this.#time,
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
    const old = positionOf(resume);
    const recovered = info.recovered ? old : undefined;
    const isLost = !!old && !recovered;
    this.#recent.limit = Math.max(this.#recent.limit, overlap);
    const gap = isLost ? "not-recovered" : !old && this.#hasNotified ? "snapshot-cut" : undefined;
    if (gap) this.#recent.clear();
    this.#hasNotified ||= isLost;
    this.#isSnapshot = resume === "snapshot" || isLost;
    this.#startStream(info, (recovered ?? info).ids, recovered);
    return gap;
  }

  /** Returns the full offset of a message from its low 32 bits; undefined if these are unreadable. */
  wholeOffset(low: number | undefined): number | undefined {
    if (low === undefined) return low;
    const replayed = widenReplayedOffset(this.#info?.offset ?? 0, low);
    return this.#replayLeft > 0 && replayed >= 0 ? replayed : widenOffset(this.#offset, low);
  }

  /** Records a message and returns its handling; unreadable members are undefined. */
  onMessage(offset?: number, id?: string): Decision {
    const info = this.#info;
    const wasReplaying = this.#replayLeft > 0;
    const next = offset ?? this.#offset + 1;
    const replayed = wasReplaying && !(offset && info && offset > info.offset);
    const gap = wasReplaying !== replayed || this.#hasMissing(next, replayed);
    if (replayed) this.#advanceReplay(this.#hasReplayStarted ? next : offset);
    else {
      this.#replayLeft = 0;
      this.#hasReplayStarted = true;
      this.#offset = next;
    }
    this.#isAfterGap = this.#isSuspect = false;
    this.count++;
    const isLater = !id || this.#raise(id);
    // A replay without a recovered position precedes the ids of its answer.
    const isByPosition = info?.ids && (!replayed || info.recovered);
    const deliver = isByPosition || !id ? isLater : this.#recent.add(id);
    this.#hasNotified ||= gap || deliver;
    return { gap, deliver, replayed };
  }

  /** Records a gap reported by the node; the next message is live and above `offset`. */
  onGap(gap: StreamGap): void {
    const info = { ...this.#info, ...gap, replay: 0 } as StreamInfo;
    this.#startStream(info, gap.ids ?? [...this.#ids.values()]);
    this.#isAfterGap = this.#hasNotified = true;
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
    this.#caughtUpBefore = this.#caughtUp;
    this.#caughtUp = this.count;
  }

  #startStream(info: StreamInfo, ids: readonly string[] = [], recovered?: Position): void {
    this.#info = info;
    this.#offset = info.offset;
    this.#replayLeft = info.replay ?? 0;
    this.#hasReplayStarted = this.#replayLeft === 0;
    this.#isAfterGap = this.#isSuspect = false;
    this.#since = info.time ?? recovered?.since;
    this.#time = recovered?.time;
    if (!recovered) this.#caughtUpBefore = this.#caughtUp = this.count;
    this.#ids.clear();
    ids.forEach((id) => this.#raise(id));
  }

  /** Adds an identity to the position; returns whether it is the highest one of its key. */
  #raise(id: string): boolean {
    const ids = this.#ids;
    const isOrdered = this.#info?.ids;
    const key = isOrdered ? id.slice(0, PARTITION_DIGITS) : id;
    const highest = ids.get(key) ?? "";
    ids.delete(key);
    ids.set(key, highest > id ? highest : id);
    const [oldest = key] = ids.keys();
    if (ids.size > (isOrdered ? MAX_IDS : POSITION_IDS)) ids.delete(oldest);
    return id > highest;
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
