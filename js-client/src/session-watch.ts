import type { ClockEstimate } from "./clock.js";
import type { Hello, NodeFrame } from "./frames.js";
import type { Link } from "./link.js";
import { Liveness } from "./liveness.js";
import type { Settings } from "./options.js";
import { TokenRefresh } from "./token-refresh.js";

// One file for all that a client needs after its first session or failure.
export { watchClient } from "./client-watch.js";

/** Heartbeat and credential refresh of one session. */
export class SessionWatch {
  readonly #liveness: Liveness;
  /** Undefined if the credential does not expire or cannot be renewed. */
  readonly #refresh: TokenRefresh | undefined;

  /** @param requestToken - Returns a fresh credential; rejects after the failure was reported. */
  constructor(
    link: Link,
    settings: Settings,
    estimate: ClockEstimate,
    { expires, pingInterval }: Hello,
    requestToken: () => Promise<string>,
  ) {
    const { clock, token } = settings;
    this.#liveness = new Liveness(link, clock, estimate, pingInterval);
    if (typeof token === "function" && expires !== undefined) {
      this.#refresh = new TokenRefresh(link, settings, estimate, expires, requestToken);
    }
  }

  /** Fresh credential that the link could not send. */
  get unsentToken(): string | undefined {
    return this.#refresh?.unsentToken;
  }

  /** Records that data has arrived from the node. */
  onActivity(): void {
    this.#liveness.onActivity();
  }

  /** Handles an answer to a ping or a refresh. */
  onFrame(frame: Extract<NodeFrame, { readonly type: "pong" | "refreshed" }>): void {
    if (frame.type === "pong") this.#liveness.onPong(frame.ref, frame.time);
    else this.#refresh?.onRefreshed(frame.ref, frame.expires);
  }

  /** Handles an error of the node. */
  onError(ref: number | undefined): void {
    this.#refresh?.onError(ref);
  }

  /** Checks a link that may be dead, with a short timeout. */
  probe(): void {
    this.#liveness.probe();
  }

  stop(): void {
    this.#liveness.stop();
    this.#refresh?.stop();
  }
}
