import type { CandidateLink, CandidateHost } from "./candidate-link.js";
import type { Messaging } from "../engine/messaging.js";

/** Client as used by a move and by a race of connection attempts. */
export interface MoveHost extends CandidateHost {
  /** Redirect target, named by a node; undefined for the addresses of the application. */
  readonly target: string | undefined;
  /** Address of the current link. */
  readonly url: string;
  /** True if the current link has received a hello. */
  readonly hasHello: boolean;
  /** Milliseconds until the node closes the link; undefined if the client may stay. */
  readonly timeLeft: number | undefined;
  /** Consecutive failures, assuming that the current session ends now. */
  readonly failures: number;
  /** Reports a redirect to an address that the client cannot use. */
  report(url: string, cause?: unknown): void;
  /** Returns the address that the node at `from` has named; undefined if it must not be used. */
  redirectTarget(url: string, from: string): string | undefined;
  /**
   * Returns whether a node has redirected the client before its hello. Further redirects are then
   * ignored until a hello.
   */
  hasEarlyRedirect(): boolean;
  /** Records a redirect before the hello. */
  onEarlyRedirect(): void;
  /** Returns whether the link's node has lost its broker and there are other addresses. */
  isStale(): boolean;
  /** Returns the unanswered publishes; undefined before the first use of the module. */
  readonly messaging: () => Messaging | undefined;
  /** Makes the candidate's link the client's link. */
  adopt(candidate: CandidateLink): void;
}
