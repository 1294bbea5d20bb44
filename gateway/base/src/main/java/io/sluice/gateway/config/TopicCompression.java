package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicRules;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reader and validation of {@code topics.compression}. Stateless, for any thread. */
public final class TopicCompression {
  private static final String ALONE = "=alone";
  private static final String EXPECTED = "pattern=alone such as accounts.>=alone";

  private TopicCompression() {}

  /**
   * Returns the patterns of topics whose messages refer to no other content.
   *
   * @throws IllegalArgumentException if an element is malformed, which {@link #check} reports
   */
  public static List<String> alone(Config config) {
    return config.get(TopicSettings.TOPIC_COMPRESSION).stream()
        .map(TopicCompression::pattern)
        .toList();
  }

  // Embedded nodes are not checked: an ignored element would compress secrets with other content.
  private static String pattern(String element) {
    if (!isValid(element)) {
      throw new IllegalArgumentException(
          TopicSettings.TOPIC_COMPRESSION.key() + ": " + malformed(element));
    }
    return element.substring(0, element.length() - ALONE.length());
  }

  private static boolean isValid(String element) {
    return element.endsWith(ALONE) && element.length() > ALONE.length();
  }

  private static String malformed(String element) {
    return ValueText.quote(element) + " is not of the form pattern=alone";
  }

  /** Reports all problems of the setting. */
  static void check(ConfigFindings findings) {
    TopicRules rules = TopicSettings.topicRules(findings.config());
    Set<String> patterns = new HashSet<>();
    for (String element : findings.config().get(TopicSettings.TOPIC_COMPRESSION)) {
      check(element, rules, patterns, findings);
    }
    if (!findings.config().get(ServerSettings.COMPRESSION)) {
      findings.reportNoEffect(
          TopicSettings.TOPIC_COMPRESSION, ServerSettings.COMPRESSION.key(), "an empty list");
    }
  }

  private static void check(
      String element, TopicRules rules, Set<String> patterns, ConfigFindings findings) {
    if (!isValid(element)) {
      report(malformed(element), findings);
      return;
    }
    String pattern = pattern(element);
    TopicRules.Problem invalid = rules.checkPattern(pattern);
    if (invalid != null) {
      report(invalid.message(), findings);
    } else if (!patterns.add(pattern)) {
      report("contains the pattern " + ValueText.quote(pattern) + " twice", findings);
    }
  }

  private static void report(String what, ConfigFindings findings) {
    findings.report(what, EXPECTED, TopicSettings.TOPIC_COMPRESSION);
  }
}
