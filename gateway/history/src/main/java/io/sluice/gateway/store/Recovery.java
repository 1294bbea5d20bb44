package io.sluice.gateway.store;

/**
 * Result of opening a topic's log. Immutable and safe for any thread.
 *
 * @param messages number of synced messages that are lost; zero unless {@link Outcome#RENEWED}
 * @param bytes bytes of these messages, as the limit counts them
 */
public record Recovery(Outcome outcome, long messages, long bytes) {

  /** State in which the log was opened. */
  public enum Outcome {
    /** No log existed. */
    CREATED,
    /** The log was closed cleanly; offsets continue. */
    RESUMED,
    /**
     * The log was not closed. All synced messages are present; others may be lost. Clients may have
     * received their offsets, which are therefore not assigned again.
     */
    RECOVERED,
    /** The log was corrupt or lacked synced messages. It was created again with a new epoch. */
    RENEWED
  }
}
