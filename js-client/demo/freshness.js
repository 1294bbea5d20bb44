const AMBER_MS = 1_000;
const RED_MS = 5_000;

/** Age of the newest message: the lag of the page behind its publisher. */
export class Freshness {
  #newestSentAt;

  /**
   * @param sentAt - Publisher's time of a message, in milliseconds since 1970.
   */
  onMessage(sentAt) {
    if (!(sentAt <= this.#newestSentAt)) this.#newestSentAt = sentAt;
  }

  /** Returns the age and its level: ok, amber or red; undefined before the first message. */
  at(now) {
    if (this.#newestSentAt === undefined) return undefined;
    const ageMs = Math.max(0, now - this.#newestSentAt);
    return { ageMs, level: ageMs > RED_MS ? "red" : ageMs > AMBER_MS ? "amber" : "ok" };
  }
}
