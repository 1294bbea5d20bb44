package io.sluice.gateway.query;

import java.util.Locale;
import java.util.stream.Stream;

/** State of an interest's consumer at the broker. */
public enum ConsumerState {
  ACTIVE,
  /** The broker has not confirmed the consumer yet. */
  OPENING,
  /** The consumer was active before the broker was lost. */
  LOST;

  /** Returns the state of a word in a response; an unknown one is treated as {@link #OPENING}. */
  public static ConsumerState of(String word) {
    return Stream.of(values())
        .filter(state -> word.equals(state.word()))
        .findFirst()
        .orElse(OPENING);
  }

  /** Returns the word in responses. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
