import { check } from "./arguments.js";
import { isCount, shape, wrongMember } from "./fields.js";
import type { JsonObject } from "./json.js";

/**
 * Position of a subscription: PROTOCOL.md, section 8. It is plain data, which `JSON.stringify` can
 * store across a page's reload. Its members are for the nodes, not for the application.
 */
export interface Position {
  /** Identifier of the node's log of the topic. */
  readonly epoch: string;
  /** Offset of the latest message, or of the stream's start. */
  readonly offset: number;
  /**
   * Identities of the latest messages, newest last; of a source with offsets, the highest of each
   * partition. Omitted before the first message.
   */
  readonly ids?: readonly string[] | undefined;
  /** Start of the stream, or its restart after a gap: node time, milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Time before which everything has been received; omitted until a node has confirmed one. */
  readonly time?: number | undefined;
  /** Selector of the subscription, for which alone the position is valid; omitted without one. */
  readonly where?: string | undefined;
}

/**
 * Start of a subscription.
 *
 * - `now`: only messages published from now on.
 * - `snapshot`: first the newest message of each topic, or of each key of a topic with keys.
 * - `last`: first up to this number of the latest messages, 1 to 1,000,000.
 * - a stored position: first the messages published since.
 */
export type From =
  | "now"
  | "snapshot"
  | {
      /** Number of messages, 1 to 1,000,000. */
      readonly last: number;
    }
  | Position;

/** Maximum number of identities in a position. */
export const MAX_IDS = 1_024;

const MAX_LAST = 1_000_000;
const POSITION = shape("epoch$ offset ids#? since? time?");
const EXPECTED = '"now", "snapshot", { last: 1 to 1000000 } or a position of a subscription';

/** Returns the position at which a subscription starts; undefined for another start. */
export function positionOf(from: From | undefined): Position | undefined {
  return typeof from === "object" && "epoch" in from ? from : undefined;
}

/** Checks and copies the `from` option of a subscription; undefined means now. */
export function toFrom(from: unknown, selector?: string): From | undefined {
  if (from === undefined || from === "now") return undefined;
  if (from === "snapshot") return from;
  const members = Object(from) as JsonObject & Position & { readonly last: unknown };
  const { last, epoch, offset, ids, since, time, where } = members;
  if (isCount(last) && last >= 1 && last <= MAX_LAST) return { last };
  const isPosition =
    !wrongMember(members, POSITION) && (!ids || (!!ids[0] && ids.length <= MAX_IDS));
  check(isPosition, "from", EXPECTED, from);
  check(where === selector, "from", "a position with the same `where`", where);
  return { epoch, offset, ids: ids && [...ids], since, time };
}
