package io.sluice.gateway.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of the mapping of names and filters, with random ones and a matcher by the standard. */
class MqttTopicsTest {
  private static final String[] PARTS = {
    "a", "b", "$", "%", "%2B", "%25", "%2E", ".", " ", "\\", "*", ">", "é", "😀", "\u00a0",
    "\u0007", "/", "/", "/", "2", "B", "E"
  };
  private static final TopicRules RULES = new TopicRules(4_096, 256);

  @Test
  void shouldMapOrdinaryNamesLetterForLetter() {
    assertThat(MqttTopics.topic("stocks/eu/7")).isEqualTo("stocks.eu.7");
    assertThat(MqttTopics.topic("$SYS/load")).isEqualTo("$SYS.load");
    assertThat(MqttTopics.name("stocks.eu-1.ACME_2")).isEqualTo("stocks/eu-1/ACME_2");
  }

  @Test
  void shouldEscapeWhatTopicsMustNotContain() {
    assertThat(MqttTopics.topic("/a//b.c/")).isEqualTo("%.a.%.b%2Ec.%");
    assertThat(MqttTopics.topic("100%/a b")).isEqualTo("100%.a%20b");
    assertThat(MqttTopics.name("c++.x")).isEqualTo("c%2B%2B/x");
    assertThat(MqttTopics.topic("c%2B%2B/x")).isEqualTo("c++.x");
  }

  @Test
  void shouldReturnEachNameFromItsTopic() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 50_000; i++) {
      String name = name(random);
      String topic = MqttTopics.topic(name);
      assertThat(RULES.checkTopic(topic)).as("seed %d: topic of \"%s\"", seed, name).isNull();
      assertThat(MqttTopics.name(topic)).as("seed %d: %s", seed, topic).isEqualTo(name);
    }
  }

  private static String name(Random random) {
    StringBuilder name = new StringBuilder();
    for (int parts = 1 + random.nextInt(8); parts > 0; parts--) {
      name.append(PARTS[random.nextInt(PARTS.length)]);
    }
    return name.toString();
  }

  @Test
  void shouldMatchAsTheStandardDefines() throws MqttFault {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String[] levels = {"a", "b", "", "$x", "a.b"};
    for (int i = 0; i < 50_000; i++) {
      String name = levels(random, levels);
      String filter = filter(random, levels);
      String topic = MqttTopics.topic(name);
      List<String> patterns = MqttTopics.patterns(filter);
      boolean matches =
          patterns.stream()
              .anyMatch(
                  each ->
                      TopicPattern.covers(each, topic)
                          && !(TopicPattern.isPattern(each) && MqttTopics.isHidden(each, topic)));
      assertThat(matches)
          .as("seed %d: filter %s, name %s, patterns %s", seed, filter, name, patterns)
          .isEqualTo(matches(filter, name));
    }
  }

  private static String levels(Random random, String[] levels) {
    StringBuilder name = new StringBuilder(levels[random.nextInt(levels.length)]);
    for (int more = random.nextInt(4); more > 0; more--) {
      name.append('/').append(levels[random.nextInt(levels.length)]);
    }
    return name.length() == 0 ? "a" : name.toString();
  }

  private static String filter(Random random, String[] levels) {
    StringBuilder filter = new StringBuilder();
    for (String level : levels(random, levels).split("/", -1)) {
      filter.append(filter.length() == 0 && !filter.toString().endsWith("/") ? "" : "/");
      filter.append(random.nextInt(3) == 0 ? "+" : level);
    }
    if (random.nextInt(3) == 0) {
      filter.append("/#");
    }
    return filter.length() == 0 || filter.charAt(0) == '\0' ? "#" : filter.toString();
  }

  /** Matcher by section 4.7 of the standard. */
  private static boolean matches(String filter, String name) {
    if (name.startsWith("$") && (filter.startsWith("#") || filter.startsWith("+"))) {
      return false;
    }
    String[] f = filter.split("/", -1);
    String[] n = name.split("/", -1);
    for (int i = 0; i < f.length; i++) {
      if (f[i].equals("#")) {
        return true;
      }
      if (i >= n.length || !f[i].equals("+") && !f[i].equals(n[i])) {
        return i == n.length && i == f.length - 1 && f[i].equals("#");
      }
    }
    return f.length == n.length;
  }

  @Test
  void shouldMatchTheParentLevel() throws MqttFault {
    assertThat(MqttTopics.patterns("a/#")).containsExactly("a.>", "a");
    assertThat(MqttTopics.patterns("#")).containsExactly(">");
    assertThat(MqttTopics.patterns("+/b/+")).containsExactly("*.b.*");
    assertThat(MqttTopics.patterns("/#")).containsExactly("%.>", "%");
  }

  @Test
  void shouldRefuseInvalidFilters() {
    for (String filter : List.of("", "a/#/b", "a#", "a+/b", "#/", "a/b#")) {
      assertThatThrownBy(() -> MqttTopics.patterns(filter))
          .as(filter)
          .isInstanceOf(MqttFault.class)
          .hasMessageContaining("topic filter");
    }
  }
}
