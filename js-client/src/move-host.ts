import type { CandidateLink, CandidateHost } from "./candidate-link.js";
import type { SluiceError } from "./errors.js";
import type { PublishQueue } from "./publish-queue.js";

/** Client as used by a move and by a race of connection attempts. */
export interface MoveHost extends CandidateHost {
  /** Address that the node has named; undefined for the application's own addresses. */
  readonly target: string | undefined;
  /** Address of the current link. */
  readonly url: string;
  /** True if the current link has received a hello. */
  readonly hasHello: boolean;
  /** Milliseconds until the node closes the link; undefined if the client may stay. */
  readonly timeLeft: number | undefined;
  /** Consecutive failures, assuming that the current session ends now. */
  readonly failures: number;
  /** Reports an error to the application. */
  report(error: SluiceError): void;
  /** Returns the address that the node at `from` has named; undefined if it must not be used. */
  redirectTarget(url: string, from: string): string | undefined;
  /**
   * Returns whether a node has redirected the client before its hello; it must not be redirected
   * again.
   */
  isRedirected(): boolean;
  /** Records that redirect. */
  onRedirected(): void;
  /** Returns whether the link's node has lost its broker and there are other addresses. */
  isStale(): boolean;
  queue(): PublishQueue | undefined;
  /** Makes the candidate's link the client's link. */
  adopt(candidate: CandidateLink): void;
}
