package io.sluice.gateway.journal;

/**
 * Result of opening a topic's log.
 *
 * @param messages how many messages were safe and are lost; zero unless {@link Outcome#RENEWED}
 * @param bytes their bytes, as {@link JournalLimits#bytes} counts them
 */
public record Recovery(Outcome outcome, long messages, long bytes) {

  /** How the log begins. */
  public enum Outcome {
    /** There was none. */
    CREATED,
    /** It was closed in order; offsets go on where they ended. */
    RESUMED,
    /**
     * It was not closed. All that was safe is there, and what was not safe may be gone, although
     * clients may know its offsets: they are not given again.
     */
    RECOVERED,
    /** It was damaged, or lacked what had been safe: it begins anew with another epoch. */
    RENEWED
  }
}
