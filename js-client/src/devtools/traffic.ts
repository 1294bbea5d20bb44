import { parseBinaryMessage, widenOffset, widenReplayedOffset } from "../engine/binary.js";
import { Histogram } from "../engine/histogram.js";
import { isJsonObject, type JsonObject } from "../engine/json.js";

/** Frames of one type and direction. */
export interface FrameCount {
  readonly direction: "sent" | "received";
  readonly type: string;
  readonly count: number;
  /** Text of the last one, shortened. */
  readonly last: string;
}

/** Subscription as seen on the wire. */
export interface TopicTraffic {
  readonly topic: string;
  /** Identifier of the node's log; empty before the answer. */
  readonly epoch: string;
  readonly offset: number;
  readonly messages: number;
  /** Messages per second since the previous snapshot. */
  readonly rate: number;
  readonly gaps: number;
}

interface Stream {
  epoch: string;
  offset: number;
  /** Offset of the last replayed message. */
  replayEnd: number;
  replayLeft: number;
  messages: number;
  previous: number;
  gaps: number;
}

const MAX_STREAMS = 200;
const MAX_TYPES = 100;
const MAX_TEXT = 300;

/** Counters of the frames of a client. Memory use is bounded. */
export class Traffic {
  /** Age of live messages on arrival, in milliseconds. */
  readonly latency = new Histogram();
  /** Offset of the node's clock from the local one, in milliseconds. */
  clockOffset = 0;
  readonly #streams = new Map<string, Stream>();
  readonly #channels = new Map<number, string>();
  readonly #frames = new Map<string, FrameCount>();
  #snapshotAt = Date.now();

  onSent(data: unknown): void {
    const frame = parse(data);
    this.#count("sent", frame, data);
    const { type, topic } = frame ?? {};
    if (type === "connect") this.#channels.clear();
    if (type === "unsubscribe") this.#streams.delete(String(topic));
  }

  onReceived(data: unknown): void {
    const frame = parse(data);
    this.#count("received", frame, data);
    try {
      if (frame) this.#onFrame(frame);
      else if (data instanceof ArrayBuffer) this.#onBinary(data);
    } catch {
      // The client reports an invalid frame.
    }
  }

  /** Frames by type, in the order of the first of each type. */
  get frames(): readonly FrameCount[] {
    return [...this.#frames.values()];
  }

  /** Returns the subscriptions; rates refer to the time since the previous call. */
  snapshot(): readonly TopicTraffic[] {
    const now = Date.now();
    const seconds = Math.max(0.001, (now - this.#snapshotAt) / 1_000);
    this.#snapshotAt = now;
    return [...this.#streams].map(([topic, stream]) => {
      const rate = (stream.messages - stream.previous) / seconds;
      stream.previous = stream.messages;
      const { epoch, offset, messages, gaps } = stream;
      return { topic, epoch, offset, messages, rate, gaps };
    });
  }

  #onFrame(frame: JsonObject): void {
    const { type, topic, pattern, offset, channel, time } = frame;
    const name = String(topic);
    if (type === "subscribed") this.#onSubscribed(name, frame);
    if (type === "channel") this.#channels.set(Number(channel), String(pattern));
    if (type === "gap") this.#onGap(name, Number(offset));
    if (type === "message") {
      this.#onMessage(String(pattern ?? topic), () => Number(offset), Number(time));
    }
  }

  #onSubscribed(topic: string, { epoch, offset, replay, channel }: JsonObject): void {
    if (channel !== undefined) this.#channels.set(Number(channel), topic);
    const known = this.#streams.get(topic);
    if (!known && this.#streams.size >= MAX_STREAMS) return;
    const { messages = 0, previous = 0, gaps = 0 } = known ?? {};
    const end = Number(offset);
    const replayLeft = Number(replay ?? 0);
    const stream = { epoch: String(epoch), offset: end, replayEnd: end, replayLeft };
    this.#streams.set(topic, { ...stream, messages, previous, gaps });
  }

  #onGap(topic: string, offset: number): void {
    const stream = this.#streams.get(topic);
    if (!stream) return;
    stream.gaps++;
    stream.replayLeft = 0;
    stream.offset = offset;
  }

  #onBinary(data: ArrayBuffer): void {
    const message = parseBinaryMessage(data);
    const name = message && this.#channels.get(message.channel);
    if (!message || name === undefined) return;
    const now = Date.now() + this.clockOffset;
    const time = now + ((message.timeLow - Math.ceil(now)) | 0);
    const widen = ({ replayLeft, replayEnd, offset }: Stream): number =>
      replayLeft > 0
        ? widenReplayedOffset(replayEnd, message.offsetLow)
        : widenOffset(offset, message.offsetLow);
    this.#onMessage(name, widen, time);
  }

  #onMessage(name: string, offsetOf: (stream: Stream) => number, time: number): void {
    const stream = this.#streams.get(name);
    if (!stream) return;
    stream.offset = offsetOf(stream);
    stream.messages++;
    if (stream.replayLeft > 0) stream.replayLeft--;
    else this.latency.add(Date.now() + this.clockOffset - time);
  }

  #count(direction: FrameCount["direction"], frame: JsonObject | undefined, data: unknown): void {
    const type = frame ? String(frame["type"]) : "binary";
    const key = `${direction} ${type}`;
    const count = (this.#frames.get(key)?.count ?? 0) + 1;
    if (count === 1 && this.#frames.size >= MAX_TYPES) return;
    this.#frames.set(key, { direction, type, count, last: toText(frame, data) });
  }
}

function parse(data: unknown): JsonObject | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return isJsonObject(frame) ? frame : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text of a frame without credentials. */
function toText(frame: JsonObject | undefined, data: unknown): string {
  if (typeof data !== "string") {
    return `${String((data as { readonly byteLength?: number }).byteLength ?? "?")} bytes`;
  }
  const hasToken = frame?.["token"] !== undefined;
  const text = hasToken ? JSON.stringify({ ...frame, token: "…" }) : data;
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
