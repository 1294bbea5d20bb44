package io.sluice.gateway.sim.queue;

/** Message that the simulated broker has accepted, and the knowledge of the clients about it. */
final class QueuedMessage {
  /** Places of a message. */
  enum State {
    QUEUED,
    DISPATCHED,
    ACKNOWLEDGED,
    DEAD,
    EXPIRED,
    /** Non-persistent, and the broker has stopped. */
    LOST
  }

  /**
   * Content of a message.
   *
   * @param replyTo reply destination, or null
   * @param expiresMicros time of expiry; 0 for none
   */
  record Content(
      String queue,
      String text,
      boolean persistent,
      long expiresMicros,
      String replyTo,
      String correlationId) {
    static Content of(String queue, String text) {
      return new Content(queue, text, true, 0, null, null);
    }
  }

  final long number;
  final Content content;
  final long acceptedMicros;
  State state = State.QUEUED;

  /** Number of deliveries that the broker has counted. */
  int count;

  /** True if the node has moved a copy to the dead-letter queue. */
  boolean copied;

  /** True if any client has sent an acknowledgement or a rejection that may cover it. */
  boolean acknowledged;

  boolean rejected;

  /** Text of the message of the transaction that has acknowledged it, or null. */
  String transaction;

  /** True if the node has received it with too many attempts. */
  boolean exhausted;

  /** Time at which the answer to its settlement reached the client; -1 before. */
  long settledMicros = -1;

  /** Number of the latest dispatch that a client has received, or 0. */
  long reached;

  QueuedMessage(long number, Content content, long acceptedMicros) {
    this.number = number;
    this.content = content;
    this.acceptedMicros = acceptedMicros;
  }

  @Override
  public String toString() {
    return "message " + number + " of " + content.queue();
  }
}
