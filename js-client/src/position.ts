import { invalidArgument } from "./errors.js";
import { isCount } from "./fields.js";

/**
 * Where a subscription stands: PROTOCOL.md, section 8. It is plain data, so that `JSON.stringify`
 * can keep it across a page's reload. Its members are for the nodes, not for the application.
 */
export interface Position {
  /** The node's log of the topic. */
  readonly epoch: string;
  /** That of the latest message, or where the stream began. */
  readonly offset: number;
  /** The identities of the latest messages, newest last; left out before the first message. */
  readonly ids?: readonly string[] | undefined;
  /** When the stream began, or began again after a gap; milliseconds since 1970, a node's clock. */
  readonly since?: number | undefined;
  /** Everything from before this time has come; left out until a node has said so. */
  readonly time?: number | undefined;
}

/**
 * Where a subscription begins.
 *
 * - `now`: only what is published from now on.
 * - `snapshot`: first the newest message of each topic, or of each key of a topic that has keys.
 * - `last`: first up to so many of the latest messages, 1 to 1,000,000.
 * - a position that the application has kept: first what was published since.
 */
export type From =
  | "now"
  | "snapshot"
  | {
      /** How many messages, 1 to 1,000,000. */
      readonly last: number;
    }
  | Position;

/** The most identities that a node takes in a position. */
export const MAX_IDS = 16;

const MAX_LAST = 1_000_000;
const EXPECTED = '"now", "snapshot", { last: 1 to 1000000 } or a position of a subscription';
const ID = /^[0-9a-f]{16}$/i;

/** Whether this is the identity of a message: 16 hexadecimal digits. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

/** Whether a subscription begins at a position. */
export function isPosition(from: From | undefined): from is Position {
  return typeof from === "object" && "epoch" in from;
}

/** Checks what the application passed as `from` and copies it; undefined means now. */
export function toFrom(from: unknown): From | undefined {
  if (from === undefined || from === "now") return undefined;
  if (from === "snapshot") return from;
  const { last, epoch, offset, ids, since, time } = Object(from) as Readonly<
    Record<"last" | keyof Position, unknown>
  >;
  if (isCount(last) && last >= 1 && last <= MAX_LAST) return { last };
  const isPosition = typeof epoch === "string" && isCount(offset);
  if (
    isPosition &&
    isOptional(ids, isIds) &&
    isOptional(since, isCount) &&
    isOptional(time, isCount)
  ) {
    return { epoch, offset, ids: ids && [...ids], since, time };
  }
  throw invalidArgument("from", EXPECTED, from);
}

function isIds(value: unknown): value is readonly string[] {
  const isFull = Array.isArray(value) && value.length >= 1 && value.length <= MAX_IDS;
  return isFull && value.every(isId);
}

function isOptional<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || is(value);
}
