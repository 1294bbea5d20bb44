package io.sluice.gateway.protocol;

/**
 * Syntax rules of topics and patterns: docs/PROTOCOL.md, section 2. Immutable, for any thread.
 *
 * @param maxLength largest number of characters
 * @param maxDepth largest number of levels
 * @param reserved further forbidden characters, which have a special meaning for the broker
 */
public record TopicRules(int maxLength, int maxDepth, String reserved) {
  /** Creates rules without characters reserved by the broker. */
  public TopicRules(int maxLength, int maxDepth) {
    this(maxLength, maxDepth, "");
  }

  /** Violation of a rule. */
  public record Problem(ErrorCode code, String message) {}

  /** Returns the first problem of a topic that may be a pattern, or null. */
  public Problem checkPattern(String topic) {
    return check(topic, true);
  }

  /** Returns the first problem of a topic that must not be a pattern, or null. */
  public Problem checkTopic(String topic) {
    return check(topic, false);
  }

  private Problem check(String topic, boolean wildcards) {
    if (topic.length() > maxLength) {
      return new Problem(
          ErrorCode.TOPIC_TOO_LONG,
          "the topic has " + topic.length() + " characters, at most " + maxLength + " are allowed");
    }
    int level = 0;
    int start = 0;
    while (start <= topic.length()) {
      int end = topic.indexOf('.', start);
      end = end < 0 ? topic.length() : end;
      if (++level > maxDepth) {
        return new Problem(
            ErrorCode.TOPIC_TOO_DEEP, "the topic has more than " + maxDepth + " levels");
      }
      String problem = levelProblem(topic, start, end, wildcards);
      if (problem != null) {
        return new Problem(
            ErrorCode.INVALID_TOPIC, "level " + level + " of \"" + topic + "\" " + problem);
      }
      start = end + 1;
    }
    return null;
  }

  private String levelProblem(String topic, int start, int end, boolean wildcards) {
    if (start == end) {
      return "is empty";
    }
    if (end - start == 1 && wildcards) {
      char only = topic.charAt(start);
      if (only == '*') {
        return null;
      }
      if (only == '>') {
        return end == topic.length() ? null : "is >, which is only allowed as the last level";
      }
    }
    for (int i = start; i < end; i++) {
      if (isForbidden(topic.charAt(i)) || isUnpaired(topic, i)) {
        return "has the character " + describe(topic.charAt(i)) + ", which is not allowed there";
      }
    }
    return null;
  }

  private boolean isForbidden(char c) {
    return switch (c) {
      case '*', '>', '#', '/', '\\' -> true;
      default ->
          Character.isISOControl(c)
              || Character.isWhitespace(c)
              || Character.isSpaceChar(c)
              || reserved.indexOf(c) >= 0;
    };
  }

  // A lone surrogate cannot be written as UTF-8.
  private static boolean isUnpaired(String topic, int i) {
    char c = topic.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 == topic.length() || !Character.isLowSurrogate(topic.charAt(i + 1));
    }
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(topic.charAt(i - 1)));
  }

  private static String describe(char c) {
    return c > ' ' && c < 127 ? "'" + c + "'" : String.format("U+%04X", (int) c);
  }
}
