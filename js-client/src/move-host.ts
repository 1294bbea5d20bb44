import type { Entry, EntryHost } from "./entry.js";
import type { SluiceError } from "./errors.js";
import type { Publishes } from "./publishes.js";

/** The client as a move and a race of connection attempts use it. */
export interface MoveHost extends EntryHost {
  /** Address that the node has named; undefined: the application's own addresses. */
  readonly target: string | undefined;
  /** That of the link. */
  readonly url: string;
  /** Whether the link has brought a hello. */
  readonly hasHello: boolean;
  /** In how many milliseconds the node closes the link; undefined if the client may as well stay. */
  readonly left: number | undefined;
  /** Those of the client in a row, if its present session ended now. */
  readonly failures: number;
  /** Tells the application of an error. */
  report(error: SluiceError): void;
  /** The address that the node at `from` has named; undefined if the client must not go there. */
  toTarget(url: string, from: string): string | undefined;
  /** A node has sent the client elsewhere in the place of a hello; it must not be sent on. */
  isRedirected(): boolean;
  /** That has happened now. */
  onRedirected(): void;
  /** The node of the link has lost its broker, and there are other addresses. */
  isStale(): boolean;
  publishes(): Publishes | undefined;
  /** Has to go on with the link of the entry. */
  onEntered(entry: Entry): void;
}
