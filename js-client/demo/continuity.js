/**
 * Age from which a subscription is resumed at another node: three times the node's `resume.margin`,
 * and 2 s. Positions of fast topics have no time, and the other node may be as young as the page.
 */
const RESUMABLE_AFTER_MS = 17_000;

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
  #sessionSince = 0;
  #interruptedAt;
  #sequences = new Map();
  /** Time of the subscription's first message, or of its first message after a gap. */
  #completeSince;
  #everyMessage = false;

  onHello(now) {
    if (this.#sessions++ > 0) this.reconnects++;
    this.#sessionSince = now;
  }

  onGap(reason) {
    this.gaps++;
    this.lastGap = { reason, at: new Date() };
    this.#sequences.clear();
    this.#completeSince = undefined;
  }

  onState(status, now) {
    const interrupted = status === "connecting" || status === "stale";
    if (interrupted && this.#sessions > 0) this.#interruptedAt ??= now;
  }

  /**
   * Forgets the sequences, because a new subscription starts with a newer message.
   *
   * @param everyMessage - Whether no message is left out.
   */
  onSubscribe(everyMessage) {
    this.#sequences.clear();
    this.#completeSince = undefined;
    this.#everyMessage = everyMessage;
  }

  /**
   * Returns the milliseconds until another node can continue the subscription without a gap, even
   * one that started with this session; Infinity if none can.
   */
  resumableIn(now) {
    if (!this.#everyMessage || this.#completeSince === undefined) return Infinity;
    const since = Math.max(this.#completeSince, this.#sessionSince);
    return Math.max(0, since + RESUMABLE_AFTER_MS - now);
  }

  onMessage(topic, sequence, replayed, now) {
    if (replayed) this.replayed++;
    else this.#completeSince ??= now;
    const previous = this.#sequences.get(topic);
    this.#sequences.set(topic, sequence);
    if (previous !== undefined && sequence > previous + 1)
      this.conflated += sequence - previous - 1;
    if (this.#interruptedAt === undefined) return;
    this.longestMs = Math.max(this.longestMs, now - this.#interruptedAt);
    this.#interruptedAt = undefined;
  }
}
