package io.sluice.gatling.engine;

import io.sluice.gatling.check.CheckSet;
import io.sluice.gatling.check.SluiceMessage;
import java.util.function.ToLongFunction;

/**
 * Evaluation of the messages of a stream. Immutable.
 *
 * @param kind subscription or consumer
 * @param isTagged the subscription is identified by its ref
 * @param isSequence offsets rise by one
 * @param isAcknowledged each delivery is acknowledged when it arrives
 * @param sentAt returns when a message was sent, in milliseconds since 1970; null for the time at
 *     which the broker accepted it
 */
public record StreamPlan(
    Kind kind,
    boolean isTagged,
    boolean isSequence,
    boolean isAcknowledged,
    ToLongFunction<SluiceMessage> sentAt,
    CheckSet checks) {
  /** Kinds of streams. */
  public enum Kind {
    /** Messages of a topic or pattern. */
    SUBSCRIPTION,

    /** Messages of a queue, or of a durable or shared subscription. */
    CONSUMER
  }
}
