import { CandidateLink } from "./candidate-link.js";
import type { MoveHost } from "./move-host.js";
import type { ConnectionEnd } from "../engine/state.js";

// Addresses that are tried at the same time, including that of the first attempt.
const MAX_ATTEMPTS = 3;

/**
 * Staggered connection attempts (as in RFC 8305): while the first attempt is pending, the next
 * addresses are tried one after another. The first `hello` wins; the other attempts are closed.
 */
export class Race {
  readonly isSettling = false;
  readonly isIdle = true;
  readonly #host: MoveHost;
  readonly #urls: string[];
  /** Pending attempts with the timers that end them. */
  readonly #attempts = new Map<CandidateLink, unknown>();
  #delayTimer: unknown;
  /** Reports the end of the first attempt. */
  #reportEnd: (() => void) | undefined;

  constructor(host: MoveHost) {
    const { settings, failures, url } = host;
    const { urls } = settings;
    const at = failures % urls.length;
    const inOrder = new Set([...urls.slice(at), ...urls.slice(0, at)]);
    inOrder.delete(url);
    this.#host = host;
    this.#urls = [...inOrder].slice(0, MAX_ATTEMPTS - 1);
    this.#next();
  }

  /**
   * Handles the end of the first attempt; returns whether others are pending. The last one reports
   * that end.
   */
  onLinkEnd(end: ConnectionEnd, retryAfterMs: number): boolean {
    if (this.#isDone) return false;
    this.#reportEnd = () => {
      this.#host.listener.onEnd(end, retryAfterMs);
    };
    return true;
  }

  /** Closes all attempts. */
  stop(): void {
    this.#host.settings.clock.clearTimeout(this.#delayTimer);
    this.#urls.length = 0;
    for (const attempt of [...this.#attempts.keys()]) this.#remove(attempt).link.close();
  }

  get #isDone(): boolean {
    return this.#attempts.size + this.#urls.length === 0;
  }

  #next(): void {
    const { attemptDelay, clock, random } = this.#host.settings;
    const url = this.#urls.shift();
    if (url !== undefined) this.#open(url, this.#host.hasEarlyRedirect());
    if (this.#urls.length === 0) return;
    this.#delayTimer = clock.setTimeout(
      () => {
        this.#next();
      },
      attemptDelay * (1 + random()),
    );
  }

  #open(url: string, isRedirected: boolean): void {
    const { clock, connectTimeout } = this.#host.settings;
    let attempt: CandidateLink;
    try {
      attempt = this.#createCandidate(url, isRedirected);
    } catch {
      // The client reports an unusable address when it becomes the first one.
      this.#onAttemptEnd();
      return;
    }
    const terminate = (): void => {
      attempt.link.terminate("hello timeout");
    };
    this.#attempts.set(attempt, clock.setTimeout(terminate, connectTimeout));
  }

  #createCandidate(url: string, isRedirected: boolean): CandidateLink {
    const attempt: CandidateLink = new CandidateLink(
      this.#host,
      { url, isRedirected },
      {
        onOpen: () => undefined,
        onHello: () => {
          // The connect frame comes first, even if a node does not wait for it.
          if (attempt.sentAt !== 0) this.#win(attempt);
        },
        onAnswers: () => undefined,
        onRedirect: (target) => {
          this.#follow(attempt, target);
        },
        onEnd: () => {
          this.#remove(attempt);
          this.#onAttemptEnd();
        },
      },
    );
    return attempt;
  }

  #win(attempt: CandidateLink): void {
    this.#remove(attempt);
    this.stop();
    this.#host.adopt(attempt);
  }

  /** Follows one redirect; a second one is ignored. */
  #follow(attempt: CandidateLink, url: string): void {
    if (this.#host.hasEarlyRedirect()) return;
    this.#host.onEarlyRedirect();
    const target = this.#host.redirectTarget(url, attempt.url);
    if (target === undefined) return;
    this.#remove(attempt).link.close();
    this.#open(target, true);
  }

  #remove(attempt: CandidateLink): CandidateLink {
    this.#host.settings.clock.clearTimeout(this.#attempts.get(attempt));
    this.#attempts.delete(attempt);
    return attempt;
  }

  #onAttemptEnd(): void {
    if (this.#isDone) this.#reportEnd?.();
  }
}
