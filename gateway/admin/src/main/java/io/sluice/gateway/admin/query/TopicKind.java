package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.Locale;

/** Kinds of entries in a list of topics. */
public enum TopicKind {
  /** Topics; interests with and without a selector are one entry, and patterns are none. */
  TOPIC,
  /** Patterns, each with its selector. */
  PATTERN,
  /**
   * Interests in topics and patterns, each with its selector; a message can count several times.
   */
  ALL;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the kind of one of the words. */
  static TopicKind of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  boolean includes(InterestKey key) {
    return this == ALL || TopicPattern.isPattern(key.topic()) == (this == PATTERN);
  }

  /** Returns the key of the entry to which an interest belongs. */
  InterestKey entry(InterestKey key) {
    return this == TOPIC ? InterestKey.of(key.topic()) : key;
  }
}
