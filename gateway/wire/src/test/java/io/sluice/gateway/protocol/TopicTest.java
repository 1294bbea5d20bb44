package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TopicTest {
  private final TopicRules rules = new TopicRules(20, 4);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "stocks.7",
        "a-b_c:d",
        "\u00e4\u00f6.\u20ac",
        "\ud83d\ude00",
        "a.b.c.d",
        "a\"b"
      })
  void shouldAcceptTopics(String topic) {
    assertThat(rules.checkTopic(topic)).isNull();
    assertThat(rules.checkPattern(topic)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", ">", "a.*", "*.b", "a.>", "*.*.>", "a.*.c"})
  void shouldAcceptWildcardsInPatternsOnly(String pattern) {
    assertThat(rules.checkPattern(pattern)).isNull();
    assertThat(rules.checkTopic(pattern).code()).isEqualTo(ErrorCode.INVALID_TOPIC);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", ".", "a.", ".a", "a..b", "a b", "a*", "*a", ">.a", "a>", "a#", "a/b", "a\\b", "a\tb",
        "a\u0000", "\ud83d", "\ude00a"
      })
  void shouldRejectInvalidTopics(String topic) {
    assertThat(rules.checkPattern(topic).code()).isEqualTo(ErrorCode.INVALID_TOPIC);
    assertThat(rules.checkTopic(topic).code()).isEqualTo(ErrorCode.INVALID_TOPIC);
  }

  @Test
  void shouldReportTheLevelAndTheCharacter() {
    assertThat(rules.checkPattern("a.b c").message())
        .isEqualTo("level 2 of \"a.b c\" has the character U+0020, which is not allowed there");
  }

  @Test
  void shouldRejectReservedCharactersWithinALevel() {
    TopicRules reserving = new TopicRules(20, 4, "+:");
    assertThat(reserving.checkTopic("a.b-c")).isNull();
    assertThat(reserving.checkPattern("a.*.>")).isNull();
    assertThat(reserving.checkPattern("a.b:c.>").code()).isEqualTo(ErrorCode.INVALID_TOPIC);
    assertThat(reserving.checkTopic("a.+.b").message())
        .isEqualTo("level 2 of \"a.+.b\" has the character '+', which is not allowed there");
  }

  @Test
  void shouldEnforceItsLimits() {
    assertThat(rules.checkTopic("x".repeat(20))).isNull();
    assertThat(rules.checkTopic("x".repeat(21)).code()).isEqualTo(ErrorCode.TOPIC_TOO_LONG);
    assertThat(rules.checkTopic("a.b.c.d.e").code()).isEqualTo(ErrorCode.TOPIC_TOO_DEEP);
  }

  @ParameterizedTest
  @CsvSource({
    "stocks.7, stocks.7, true",
    "stocks.7, stocks.77, false",
    "stocks.7, stocks, false",
    "stocks.*, stocks.7, true",
    "stocks.*, stocks, false",
    "stocks.*, stocks.7.a, false",
    "*.7, stocks.7, true",
    "stocks.>, stocks.7, true",
    "stocks.>, stocks.7.a, true",
    "stocks.>, stocks, false",
    ">, a, true",
    ">, a.b.c, true",
    "*, a.b, false",
    "a.*.c, a.b.c, true",
    "a.*.c, a.b.d, false",
    "stocks.>, stocks.*, true",
    "stocks.>, stocks.>, true",
    "stocks.*, stocks.*, true",
    "stocks.*, stocks.>, false",
    "stocks.7, stocks.*, false",
    ">, >, true",
    "*, >, false",
    "*.*, *.>, false",
  })
  void shouldReturnWhetherAPatternCoversATopic(String pattern, String topic, boolean covered) {
    assertThat(TopicPattern.covers(pattern, topic)).isEqualTo(covered);
  }

  @Test
  void shouldFindACoveringPattern() {
    assertThat(TopicPattern.anyCovers(List.of("a.>", "b.*"), "b.1")).isTrue();
    assertThat(TopicPattern.anyCovers(List.of("a.>", "b.*"), "c")).isFalse();
    assertThat(TopicPattern.anyCovers(List.of(), "c")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "sluice.canary.x, true",
    "sluice.>, true",
    "sluice.*.x, true",
    "sluice.*.>, true",
    "*.canary.>, true",
    ">, true",
    "sluice.canary, false",
    "sluice.*, false",
    "sluice.other.>, false",
    "sluice.canaries.>, false",
    "other.>, false",
  })
  void shouldFindPatternsThatMatchBelowAPrefix(String pattern, boolean matches) {
    assertThat(TopicPattern.mayMatchBelow(pattern, "sluice.canary.")).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({
    "a.>, a.b, a.b",
    "a.*, *.b, a.b",
    "a.>, *.b.*, a.b.*",
    ">, a.*, a.*",
    "a.>, a.>, a.>",
    "a.>, a,",
    "a.b, a.c,",
    "a.*, a,",
    "a.*, a.b.c,",
    "*.>, a.*, a.*"
  })
  void shouldIntersectPatterns(String first, String second, String common) {
    assertThat(TopicPattern.intersection(first, second)).isEqualTo(common);
    assertThat(TopicPattern.intersection(second, first)).isEqualTo(common);
  }

  @Test
  void shouldIntersectLikeTheTopicsThatBothMatch() {
    List<String> levels = List.of("a", "b", "*", ">");
    List<String> patterns =
        names(levels).stream().filter(p -> rules.checkPattern(p) == null).toList();
    List<String> topics = names(List.of("a", "b"));
    for (String first : patterns) {
      for (String second : patterns) {
        String common = TopicPattern.intersection(first, second);
        for (String topic : topics) {
          boolean both = TopicPattern.covers(first, topic) && TopicPattern.covers(second, topic);
          assertThat(common != null && TopicPattern.covers(common, topic))
              .as("%s and %s of %s", topic, first, second)
              .isEqualTo(both);
        }
      }
    }
  }

  /** Returns all names of one to three levels. */
  private static List<String> names(List<String> levels) {
    List<String> one = levels;
    List<String> two = one.stream().flatMap(a -> levels.stream().map(b -> a + "." + b)).toList();
    List<String> three = two.stream().flatMap(a -> levels.stream().map(b -> a + "." + b)).toList();
    return Stream.of(one, two, three).flatMap(List::stream).toList();
  }
}
