import type { Undo } from "../engine/emitter.js";
import type { SluiceError } from "../engine/errors.js";

/** Member of a topic. */
export interface PresenceMember {
  /** Identifies the member in its topic. */
  readonly id: string;
  /** Subject of its credential; undefined without a credential. */
  readonly subject: string | undefined;
  /** The `info` that it sent; undefined if none. */
  readonly info: unknown;
}

/** Options of `client.presence`. */
export interface PresenceOptions {
  /** False: the client only watches. Default true. */
  readonly enter?: boolean;
  /** Value that others receive with the member, converted to JSON; a node limits its size. */
  readonly info?: unknown;
  /**
   * False: the node sends only the count, for which the client needs no permission `presence`.
   * Default true.
   */
  readonly members?: boolean;
  /**
   * Receives the errors with which the node refuses the request. The promise then does not reject.
   * The request is repeated as those of subscriptions; the promise resolves with its first answer.
   */
  readonly onError?: (error: SluiceError) => void;
  /** Leaves when it is aborted. */
  readonly signal?: AbortSignal;
}

/** State of the presence of a topic, at all nodes. */
export interface PresenceState {
  /** Number of members. */
  readonly count: number;
  /**
   * Members, without order. Undefined if the client requested only the count, or if there are more
   * than the node sends.
   */
  readonly members: readonly PresenceMember[] | undefined;
  /** True if members at other nodes may be missing. */
  readonly partial: boolean;
  /** False while there is no connection: the other values may be outdated. */
  readonly live: boolean;
}

/** Presence of a topic, as returned by `client.presence`. It survives reconnects. */
export interface Presence extends PresenceState {
  /** Topic. */
  readonly topic: string;
  /** Id of the client's member; undefined if it has not entered. */
  readonly self: string | undefined;
  /** Calls the listener after each change. Returns a function that removes it. */
  onChange(listener: (presence: Presence) => void): Undo;
  /** Replaces the `info` of the client's member. */
  update(info: unknown): void;
  /** Leaves the topic, and watches it no longer. */
  leave(): void;
}
