package io.sluice.gateway.protocol;

import java.util.List;

/**
 * Matching of topic patterns: {@code *} matches one level, a final {@code >} one or more.
 * Stateless, for any thread.
 */
public final class TopicPattern {
  private TopicPattern() {}

  /** Returns whether a valid topic has a wildcard. */
  public static boolean isPattern(String topic) {
    return topic.indexOf('*') >= 0 || topic.indexOf('>') >= 0;
  }

  /**
   * Returns whether {@code pattern} matches everything that {@code topic} matches. Both are valid,
   * and both may be patterns.
   */
  public static boolean covers(String pattern, String topic) {
    int p = 0;
    int t = 0;
    while (p <= pattern.length() && t <= topic.length()) {
      int pEnd = levelEnd(pattern, p);
      int tEnd = levelEnd(topic, t);
      if (isLevel(pattern, p, pEnd, '>')) {
        return true;
      }
      boolean same =
          isLevel(pattern, p, pEnd, '*')
              ? !isLevel(topic, t, tEnd, '>')
              : pEnd - p == tEnd - t && pattern.regionMatches(p, topic, t, pEnd - p);
      if (!same) {
        return false;
      }
      p = pEnd + 1;
      t = tEnd + 1;
    }
    return p > pattern.length() && t > topic.length();
  }

  /**
   * Returns whether a pattern may match a topic that begins with a prefix.
   *
   * @param prefix one or more levels, each with its dot
   */
  public static boolean mayMatchBelow(String pattern, String prefix) {
    int p = 0;
    int t = 0;
    while (t < prefix.length()) {
      int pEnd = levelEnd(pattern, p);
      int tEnd = levelEnd(prefix, t);
      if (isLevel(pattern, p, pEnd, '>')) {
        return true;
      }
      boolean same =
          isLevel(pattern, p, pEnd, '*')
              || pEnd - p == tEnd - t && pattern.regionMatches(p, prefix, t, pEnd - p);
      if (!same || pEnd == pattern.length()) {
        return false;
      }
      p = pEnd + 1;
      t = tEnd + 1;
    }
    return true;
  }

  /** Returns the pattern of what both patterns match; null if they match nothing in common. */
  public static String intersection(String first, String second) {
    StringBuilder common = new StringBuilder();
    int a = 0;
    int b = 0;
    while (a <= first.length() && b <= second.length()) {
      int aEnd = levelEnd(first, a);
      int bEnd = levelEnd(second, b);
      if (isLevel(first, a, aEnd, '>')) {
        return common.append(second, b, second.length()).toString();
      }
      if (isLevel(second, b, bEnd, '>')) {
        return common.append(first, a, first.length()).toString();
      }
      boolean any = isLevel(first, a, aEnd, '*');
      boolean same = aEnd - a == bEnd - b && first.regionMatches(a, second, b, aEnd - a);
      if (!any && !same && !isLevel(second, b, bEnd, '*')) {
        return null;
      }
      common.append(any ? second : first, any ? b : a, any ? bEnd : aEnd).append('.');
      a = aEnd + 1;
      b = bEnd + 1;
    }
    boolean complete = a > first.length() && b > second.length();
    return complete ? common.substring(0, common.length() - 1) : null;
  }

  /** Returns whether any of the patterns covers the topic. */
  public static boolean anyCovers(List<String> patterns, String topic) {
    for (String pattern : patterns) {
      if (covers(pattern, topic)) {
        return true;
      }
    }
    return false;
  }

  private static int levelEnd(String topic, int start) {
    int end = topic.indexOf('.', start);
    return end < 0 ? topic.length() : end;
  }

  private static boolean isLevel(String topic, int start, int end, char only) {
    return end - start == 1 && topic.charAt(start) == only;
  }
}
