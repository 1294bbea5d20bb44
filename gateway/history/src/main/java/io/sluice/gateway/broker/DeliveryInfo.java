package io.sluice.gateway.broker;

/**
 * Place of a message in the order of delivery. Immutable, for any thread.
 *
 * @param sequence number that the broker assigned, rising in the order in which it accepted
 *     messages; {@link Broker#NO_SEQUENCE} if it assigned none, or if the priority is above the
 *     lowest one so far of the consumer
 * @param priority JMS priority, 0 to 9
 * @param scheduled whether the broker held it back until a time that its publisher had set
 * @param dueMs this time, in milliseconds since 1970; 0 if it is not scheduled
 * @param redelivered whether the broker may have delivered it before
 * @param slow whether its number is that of its beginning, and its end may arrive much later
 */
public record DeliveryInfo(
    long sequence, int priority, boolean scheduled, long dueMs, boolean redelivered, boolean slow) {
  private static final int DEFAULT_PRIORITY = 4;

  /** Returns the delivery of an ordinary message. */
  public static DeliveryInfo of(long sequence) {
    return new DeliveryInfo(sequence, DEFAULT_PRIORITY, false, 0, false, false);
  }

  /** Returns this delivery without a number. */
  public DeliveryInfo withoutSequence() {
    return new DeliveryInfo(Broker.NO_SEQUENCE, priority, scheduled, dueMs, redelivered, slow);
  }

  /** Returns whether the broker may deliver it before any earlier message. */
  public boolean mayOvertakeAny() {
    return scheduled || redelivered;
  }
}
