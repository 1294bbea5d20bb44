package io.sluice.gateway.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/**
 * Fuzz test of the validation of topics and of coverage. The model enumerates the topics that a
 * pattern matches. An input is two texts separated by a line feed.
 */
public final class TopicFuzz {
  private static final TopicRules RULES = new TopicRules(40, 8);
  private static final TopicRules SHORT = new TopicRules(20, 4);

  private TopicFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    String text = fromUtf16OrUtf8(input);
    int cut = Math.max(0, text.indexOf('\n'));
    String pattern = text.substring(0, cut);
    String topic = text.substring(Math.min(text.length(), cut + 1));
    checkRules(pattern);
    checkRules(topic);
    if (SHORT.checkPattern(pattern) == null && SHORT.checkPattern(topic) == null) {
      boolean expected = written(topic).stream().allMatch(each -> matches(pattern, each));
      assertThat(TopicPattern.covers(pattern, topic))
          .as("%s covers %s", pattern, topic)
          .isEqualTo(expected);
    }
  }

  /** Decodes an input; a first byte of 0 selects UTF-16, which may contain unpaired surrogates. */
  private static String fromUtf16OrUtf8(byte[] input) {
    if (input.length == 0 || input[0] != 0) {
      return new String(input, UTF_8);
    }
    StringBuilder text = new StringBuilder();
    for (int i = 1; i + 1 < input.length; i += 2) {
      text.append((char) (input[i] << 8 | input[i + 1] & 0xFF));
    }
    return text.toString();
  }

  private static void checkRules(String topic) {
    TopicRules.Problem problem = RULES.checkPattern(topic);
    boolean plain = problem == null && !TopicPattern.isPattern(topic);
    assertThat(RULES.checkTopic(topic) == null).as(topic).isEqualTo(plain);
    if (problem != null) {
      assertThat(problem.message()).isNotBlank();
      assertThat(problem.message().length()).isLessThan(RULES.maxLength() + 100);
      return;
    }
    assertThat(topic.length()).isLessThanOrEqualTo(RULES.maxLength());
    assertThat(levels(topic)).hasSizeLessThanOrEqualTo(RULES.maxDepth()).doesNotContain("");
    assertThat(new String(topic.getBytes(UTF_8), UTF_8)).isEqualTo(topic);
    assertThat(TopicPattern.covers(topic, topic)).as(topic).isTrue();
    assertThat(TopicPattern.covers(">", topic)).as(topic).isTrue();
  }

  private static List<String> levels(String topic) {
    return List.of(topic.split("\\.", -1));
  }

  /**
   * Returns topics that a pattern matches: two names for each star, and up to five levels for >.
   */
  private static List<String> written(String pattern) {
    List<String> all = List.of("");
    for (String level : levels(pattern)) {
      all =
          switch (level) {
            case "*" -> appended(all, 1);
            case ">" -> tails(all);
            default -> all.stream().map(each -> joined(each, level)).toList();
          };
    }
    return all;
  }

  private static List<String> tails(List<String> starts) {
    List<String> all = new ArrayList<>();
    for (int count = 1; count <= SHORT.maxDepth() + 1; count++) {
      all.addAll(appended(starts, count));
    }
    return all;
  }

  private static List<String> appended(List<String> starts, int count) {
    List<String> all = starts;
    for (int i = 0; i < count; i++) {
      List<String> longer = new ArrayList<>();
      all.forEach(each -> longer.addAll(List.of(joined(each, "a"), joined(each, "other"))));
      all = longer;
    }
    return all;
  }

  private static String joined(String start, String level) {
    return start.isEmpty() ? level : start + "." + level;
  }

  /** Returns whether a pattern matches an invalid topic. */
  private static boolean matches(String pattern, String topic) {
    return matches(levels(pattern), levels(topic));
  }

  private static boolean matches(List<String> pattern, List<String> topic) {
    if (pattern.isEmpty() || topic.isEmpty()) {
      return pattern.isEmpty() && topic.isEmpty();
    }
    String first = pattern.get(0);
    return first.equals(">")
        || (first.equals("*") || first.equals(topic.get(0)))
            && matches(pattern.subList(1, pattern.size()), topic.subList(1, topic.size()));
  }
}
