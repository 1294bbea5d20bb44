/** Counters of interruptions and of the messages around them. */
export class Continuity {
  replayed = 0;
  gaps = 0;
  reconnects = 0;
  longestMs = 0;
  /** Messages replaced by newer ones of the same stock. */
  conflated = 0;
  lastGap;
  #sessions = 0;
  #interruptedAt;
  #sequences = new Map();

  onHello() {
    if (this.#sessions++ > 0) this.reconnects++;
  }

  onGap(reason) {
    this.gaps++;
    this.lastGap = { reason, at: new Date() };
    this.#sequences.clear();
  }

  onState(status, now) {
    const interrupted = status === "connecting" || status === "stale";
    if (interrupted && this.#sessions > 0) this.#interruptedAt ??= now;
  }

  /** Forgets the sequences, because a new subscription starts with a newer message. */
  onSubscribe() {
    this.#sequences.clear();
  }

  onMessage(topic, sequence, replayed, now) {
    if (replayed) this.replayed++;
    const previous = this.#sequences.get(topic);
    this.#sequences.set(topic, sequence);
    if (previous !== undefined && sequence > previous + 1)
      this.conflated += sequence - previous - 1;
    if (this.#interruptedAt === undefined) return;
    this.longestMs = Math.max(this.longestMs, now - this.#interruptedAt);
    this.#interruptedAt = undefined;
  }
}
