import { isJsonObject } from "../engine/json.js";
import type { GapReason } from "../engine/subscription-state.js";
import { badFrame } from "./frame-error.js";
import type { StoredMessage } from "./stored-message.js";

/** Message with its offset in a log. */
export interface LogEntry {
  readonly offset: number;
  readonly message: StoredMessage;
}

/** Subscription that receives the live stream of a log. */
export interface LogReader {
  onEntry(entry: LogEntry): void;
  onGap(reason: GapReason): void;
}

/** Start of a subscription. */
export interface LogStart {
  readonly replay: readonly LogEntry[];
  /** Undefined if the client has not requested a position. */
  readonly recovered: boolean | undefined;
}

/** Logs of all nodes of a broker; a position of one node is valid at the others. */
export interface LogDirectory {
  /** Maximum number of messages in a log. */
  readonly history: number;
  /** Returns the log with this epoch at any node. */
  find(epoch: string): TopicLog | undefined;
}

/** Node's log of one topic or pattern: PROTOCOL.md, section 8. */
export class TopicLog {
  readonly epoch: string;
  readonly readers = new Set<LogReader>();
  readonly #directory: LogDirectory;
  readonly #entries: LogEntry[] = [];
  /** Sequence numbers at the offsets that have no entry: the log's start and its gaps. */
  readonly #marks: { readonly offset: number; readonly sequence: number }[];
  /** The log contains every message above this sequence number. */
  #completeSince: number;
  #offset = 0;

  constructor(directory: LogDirectory, epoch: string, completeSince: number) {
    this.#directory = directory;
    this.epoch = epoch;
    this.#completeSince = completeSince;
    this.#marks = [{ offset: 0, sequence: completeSince }];
  }

  /** Offset of the latest message or gap. */
  get offset(): number {
    return this.#offset;
  }

  append(message: StoredMessage): void {
    const entry = { offset: ++this.#offset, message };
    this.#entries.push(entry);
    if (this.#entries.length > this.#directory.history) {
      this.#completeSince = this.#entries.shift()?.message.sequence ?? 0;
    }
    for (const reader of [...this.readers]) reader.onEntry(entry);
  }

  /** Records that messages up to this sequence number may be missing. */
  lose(reason: GapReason, sequence: number): void {
    this.#marks.push({ offset: ++this.#offset, sequence });
    this.#completeSince = sequence;
    for (const reader of [...this.readers]) reader.onGap(reason);
  }

  /** Returns what precedes the live stream for the `from` of a subscribe. */
  start(from: unknown, isNewest: boolean): LogStart {
    if (from === undefined || from === "now") return { replay: [], recovered: undefined };
    if (from === "snapshot") return { replay: this.#snapshot(), recovered: undefined };
    const { last, epoch, offset } = Object(from) as Record<"last" | "epoch" | "offset", unknown>;
    if (Number.isInteger(last) && Number(last) > 0) {
      const latest = this.#entries.slice(-Number(last));
      return { replay: isNewest ? newest(latest) : latest, recovered: undefined };
    }
    if (!isJsonObject(from) || typeof epoch !== "string" || !Number.isSafeInteger(offset)) {
      throw badFrame("from", '"now", "snapshot", a number of messages or a position');
    }
    return this.#resume(epoch, Number(offset), isNewest);
  }

  #resume(epoch: string, offset: number, isNewest: boolean): LogStart {
    const sequence = this.#directory.find(epoch)?.sequenceAt(offset);
    if (sequence === undefined || sequence < this.#completeSince) {
      return { replay: this.#snapshot(), recovered: false };
    }
    const missed = this.#entries.filter((entry) => entry.message.sequence > sequence);
    return { replay: isNewest ? newest(missed) : missed, recovered: true };
  }

  /** Returns the sequence number of the latest message or gap up to an offset. */
  sequenceAt(offset: number): number | undefined {
    if (offset > this.#offset) return undefined;
    const entry = latestUpTo(offset, this.#entries);
    const mark = latestUpTo(offset, this.#marks);
    return Math.max(entry?.message.sequence ?? 0, mark?.sequence ?? 0);
  }

  /** Returns the newest message of each topic without removed ones. */
  #snapshot(): readonly LogEntry[] {
    return newest(this.#entries).filter(({ message }) => !message.removed);
  }
}

function latestUpTo<Item extends { readonly offset: number }>(
  offset: number,
  items: readonly Item[],
): Item | undefined {
  return items.filter((item) => item.offset <= offset).at(-1);
}

/** Returns the newest entry of each topic, in their order. */
function newest(entries: readonly LogEntry[]): readonly LogEntry[] {
  const byTopic = new Map(entries.map((entry) => [entry.message.destination.topic, entry]));
  return entries.filter((entry) => byTopic.get(entry.message.destination.topic) === entry);
}
