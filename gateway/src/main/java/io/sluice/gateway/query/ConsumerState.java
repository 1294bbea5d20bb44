package io.sluice.gateway.query;

import java.util.Locale;

/** State of an interest's consumer at the broker. */
public enum ConsumerState {
  ACTIVE,
  /** The broker has not confirmed the consumer yet. */
  OPENING,
  /** The consumer was active before the broker was lost. */
  LOST;

  /** Returns the word in responses. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
