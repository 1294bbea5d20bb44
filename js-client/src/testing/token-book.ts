import type { Clock } from "../engine/clock.js";
import type { Grant } from "./session-host.js";

const UNAUTHORIZED = 4200;
const EXPIRED = 4201;

/** Tokens that clients have used, and their expiry. */
export class TokenBook {
  readonly #clock: Clock;
  readonly #lifetime: number | undefined;
  readonly #isAccepted: (token: string | undefined) => boolean | string;
  readonly #expiry = new Map<string, number>();

  constructor(
    clock: Clock,
    lifetime: number | undefined,
    isAccepted: (token: string | undefined) => boolean | string,
  ) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#isAccepted = isAccepted;
  }

  /** Checks the token of a client. */
  check(token: string | undefined): Grant {
    const accepted = this.#isAccepted(token);
    if (!accepted) return { code: UNAUTHORIZED };
    const subject = accepted === true ? "" : accepted;
    if (token === undefined) return { expires: undefined, subject };
    const latest = Math.floor(this.#clock.now()) + (this.#lifetime ?? Infinity);
    const expires = this.#expiry.get(token) ?? latest;
    this.#expiry.set(token, expires);
    if (this.isExpired(token)) return { code: EXPIRED };
    return { expires: Number.isFinite(expires) ? expires : undefined, subject };
  }

  isExpired(token: string): boolean {
    return (this.#expiry.get(token) ?? Infinity) <= this.#clock.now();
  }

  expireAll(): void {
    for (const token of this.#expiry.keys()) this.#expiry.set(token, 0);
  }
}
