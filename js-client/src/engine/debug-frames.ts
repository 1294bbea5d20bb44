import type { DebugEntry } from "./options.js";

/** Direction of a frame. */
export type Direction = "->" | "<-";

/** Frame as far as it is logged. */
interface LoggedFrame {
  readonly type?: string;
  readonly topic?: string;
  readonly from?: string | object;
  readonly recovered?: boolean;
  readonly replay?: number;
  readonly epoch?: string;
  readonly offset?: number;
  readonly url?: string;
  readonly deadline?: number;
  readonly expires?: number;
  readonly token?: string;
}

type Decision = Pick<DebugEntry, "kind" | "text">;

const MAX_TEXT = 300;

/** Returns a frame as a line, shortened, without credentials and payloads. */
export function frameText(direction: Direction, data: unknown): string {
  if (typeof data !== "string") return `${direction} binary, ${String(bytesOf(data))} bytes`;
  const text = redacted(data);
  return `${direction} ${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text}`;
}

/** Returns the decision that a text frame shows; undefined if it shows none. */
export function decisionOf(direction: Direction, data: unknown): Decision | undefined {
  if (typeof data !== "string") return undefined;
  const frame = parse(data);
  return direction === "->" ? sent(frame) : received(frame);
}

/** Returns a URL without the values of its query, which may be credentials. */
export function withoutQuery(url: string): string {
  return url.replace(/\?.*/, "?…");
}

function sent({ type, topic = "", from, token }: LoggedFrame): Decision | undefined {
  switch (type) {
    case "connect":
      return token === undefined ? undefined : { kind: "token", text: "sent with connect" };
    case "subscribe":
      if (typeof from === "object") {
        return { kind: "resume", text: `${topic} from position ${JSON.stringify(from)}` };
      }
      return { kind: "subscribe", text: `${topic} from ${from ?? "now"}` };
    case "unsubscribe":
      return { kind: "unsubscribe", text: topic };
    case "refresh":
      return { kind: "token", text: "refresh sent" };
    default:
      return undefined;
  }
}

function received(frame: LoggedFrame): Decision | undefined {
  const { type, topic = "", url, recovered, replay = 0 } = frame;
  switch (type) {
    case "subscribed": {
      if (recovered === undefined) return undefined;
      const result = recovered ? `recovered with ${String(replay)} messages` : "not recovered";
      return { kind: "resume", text: `${topic} ${result}` };
    }
    case "redirect":
      return { kind: "redirect", text: `to ${withoutQuery(String(url))}` };
    case "draining": {
      const target = url === undefined ? "another node" : withoutQuery(url);
      const deadline = toTime(frame.deadline ?? 0);
      return { kind: "drain", text: `move to ${target} until ${deadline}` };
    }
    case "refreshed": {
      const { expires } = frame;
      const until = expires === undefined ? "" : ` until ${toTime(expires)}`;
      return { kind: "token", text: `refreshed${until}` };
    }
    default:
      return undefined;
  }
}

function redacted(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), (name, value: unknown) => {
      if (name === "token") return "redacted";
      return name === "payload" ? sizeText(value) : value;
    });
  } catch {
    return `invalid JSON, ${String(data.length)} characters`;
  }
}

function sizeText(payload: unknown): string {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  return `${String(text.length)} characters`;
}

function parse(data: string): LoggedFrame {
  try {
    return Object(JSON.parse(data)) as LoggedFrame;
  } catch {
    return {};
  }
}

function bytesOf(data: unknown): number {
  return (data as { readonly byteLength?: number }).byteLength ?? 0;
}

/** Returns a time, also one that a date cannot represent. */
function toTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
