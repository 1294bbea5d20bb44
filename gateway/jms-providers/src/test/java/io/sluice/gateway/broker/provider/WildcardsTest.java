package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.TopicRules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that an accepted name has the same levels for the broker as for Sluice. */
final class WildcardsTest {
  private static final int CASES = 20_000;
  private static final String WILD = "+%:|~=^!*>#/";
  private static final String SEPARATING = ":|~=^!/";
  private static final Map<String, String> MQ = Map.of("level", "+", "rest", "#", "separator", "/");

  private final long seed = Long.getLong("sluice.seed", System.nanoTime());
  private final Random random = new Random(seed);

  private static Config config(String provider) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, provider)
        .with(BrokerSettings.URL, "tcp://broker.test:1");
  }

  private static Provider plugged(Map<String, String> spelling) {
    return new PluggedProvider(
        ProviderOptions.of(config("jndi").with(BrokerSettings.WILDCARDS, spelling)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders.+.new", "+", "a.b+", "a.#", "a/b", "a.+.>", "a..b", "a.*b", "?"})
  void shouldRefuseTopicsWithSpecialSyntaxOfTheProvider(String topic) {
    assertThat(plugged(MQ).isPlainName(topic)).isFalse();
  }

  /** Names of received messages have the broker's separator, those of clients a dot. */
  @ParameterizedTest
  @ValueSource(strings = {"$SYS/MQ/INFO", "$SYS.MQ.INFO", "SYSTEM/ADMIN", "SYSTEM.ADMIN", "$SYS.>"})
  void shouldKnowInternalNamesInBothSpellings(String name) {
    assertThat(plugged(MQ).isInternal(name)).isTrue();
    assertThat(plugged(MQ).isInternal("a." + name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders.ann.new", "a.*.c", "a.>", "a-b:c"})
  void shouldAcceptPlainNamesAndSluicesPatterns(String topic) {
    assertThat(plugged(MQ).isPlainName(topic)).isTrue();
  }

  @Test
  void shouldConvertToTheConfiguredWildcards() {
    assertThat(plugged(MQ).wildcards().toProvider("a.*.>")).isEqualTo("a/+/#");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRefuseTheWildcardsOfSupportedProviders(String name) {
    Provider provider =
        name.equals("artemis")
            ? new ArtemisProvider(ProviderOptions.of(config(name)))
            : new ClassicProvider(ProviderOptions.of(config(name)));
    TopicRules rules = TopicSettings.topicRules(config(name));
    Wildcards wildcards = provider.wildcards();
    assertThat(wildcards.separator()).isEqualTo(".");
    for (String spelling : List.of(wildcards.level(), wildcards.rest())) {
      for (String topic : List.of(spelling, "a." + spelling, spelling + ".b", "a" + spelling)) {
        assertThat(rules.checkTopic(topic)).as(topic).isNotNull();
      }
      assertThat(rules.checkPattern("a" + spelling + ".b")).isNotNull();
    }
  }

  @Test
  void shouldPreserveTheLevelsOfANameInBothDirections() {
    int taken = 0;
    for (int i = 0; i < CASES; i++) {
      Wildcards spelling = spelling();
      Provider provider =
          plugged(
              Map.of(
                  "level", spelling.level(),
                  "rest", spelling.rest(),
                  "separator", spelling.separator()));
      String topic = topic(spelling);
      if (provider.isPlainName(topic)) {
        taken++;
        assertThat(read(spelling, provider.wildcards().toProvider(topic)))
            .as("%s by %s, seed %d", topic, spelling, seed)
            .isEqualTo(List.of(topic.split("\\.", -1)));
      }
    }
    assertThat(taken).as("accepted names, seed %d", seed).isGreaterThan(CASES / 20);
  }

  @Test
  void shouldGiveDifferentTopicsToDifferentNames() {
    Map<String, String> names = new HashMap<>();
    int taken = 0;
    for (int i = 0; i < CASES; i++) {
      Wildcards spelling = spelling();
      Config config =
          config("jndi")
              .with(
                  BrokerSettings.WILDCARDS,
                  Map.of(
                      "level", spelling.level(),
                      "rest", spelling.rest(),
                      "separator", spelling.separator()));
      Provider provider = new PluggedProvider(ProviderOptions.of(config));
      TopicRules rules = TopicSettings.topicRules(config);
      BrokerNames conversion = new BrokerNames(spelling, provider::isPlainName, rules);
      names.clear();
      for (int n = 0; n < 8; n++) {
        String name = brokerName(spelling);
        String topic = conversion.fromBroker(name);
        String shown = conversion.shown(name);
        if (topic == null) {
          assertThat(rules.checkTopic(shown) == null && provider.isPlainName(shown))
              .as("clients can use %s for %s, seed %d", shown, name, seed)
              .isFalse();
        } else {
          taken++;
          assertThat(rules.checkTopic(topic)).as("%s, seed %d", name, seed).isNull();
          assertThat(spelling.toProvider(topic)).as("seed %d", seed).isEqualTo(name);
          assertThat(names.put(topic, name)).as("%s, seed %d", name, seed).isIn(null, name);
        }
      }
      String topic = topic(spelling);
      if (rules.checkTopic(topic) == null && provider.isPlainName(topic)) {
        assertThat(conversion.fromBroker(spelling.toProvider(topic)))
            .as("%s by %s, seed %d", topic, spelling, seed)
            .isEqualTo(topic);
      }
    }
    assertThat(taken).as("accepted names, seed %d", seed).isGreaterThan(CASES / 20);
  }

  /** Returns a name that only the broker has to accept. */
  private String brokerName(Wildcards spelling) {
    List<String> parts =
        List.of(
            "a", "b", ".", "\\.", "\\", "/", spelling.separator(), "\t", " ", "\u007f", "\ud83d");
    return IntStream.rangeClosed(0, random.nextInt(5))
        .mapToObj(i -> random.nextInt(3) > 0 ? parts.get(random.nextInt(2)) : oneOfList(parts))
        .collect(Collectors.joining());
  }

  private String oneOfList(List<String> parts) {
    return parts.get(random.nextInt(parts.size()));
  }

  /** Returns the levels of a name in the broker's syntax, with wildcards in Sluice's syntax. */
  private static List<String> read(Wildcards spelling, String name) {
    return Stream.of(name.split(Pattern.quote(spelling.separator()), -1))
        .map(level -> readLevel(spelling, level))
        .toList();
  }

  private static String readLevel(Wildcards spelling, String level) {
    if (level.equals(spelling.rest())) {
      return ">";
    }
    if (level.equals(spelling.level())) {
      return "*";
    }
    boolean wild = level.contains(spelling.rest()) || level.contains(spelling.level());
    return wild ? "part of " + level + " is wild" : level;
  }

  // The wildcards differ and do not contain the separator, as for any real broker.
  private Wildcards spelling() {
    String separator = random.nextInt(3) == 0 ? "." : oneOf(SEPARATING).repeat(length());
    String level = oneOf(without(WILD, separator));
    String rest = oneOf(without(without(WILD, separator), level));
    return new Wildcards(level.repeat(length()), rest.repeat(length()), separator);
  }

  private static String without(String from, String some) {
    return from.replace(some.substring(0, 1), "");
  }

  private String topic(Wildcards spelling) {
    return IntStream.rangeClosed(0, random.nextInt(4))
        .mapToObj(i -> level(spelling))
        .collect(Collectors.joining("."));
  }

  private String level(Wildcards spelling) {
    return switch (random.nextInt(12)) {
      case 0 -> "*";
      case 1 -> ">";
      case 2 -> spelling.level();
      case 3 -> spelling.rest();
      case 4 -> "a" + spelling.separator() + "b";
      default -> text("ab-" + (random.nextBoolean() ? "" : WILD), length());
    };
  }

  private int length() {
    return 1 + random.nextInt(2);
  }

  private String text(String from, int length) {
    return IntStream.range(0, length).mapToObj(i -> oneOf(from)).collect(Collectors.joining());
  }

  private String oneOf(String from) {
    int i = random.nextInt(from.length());
    return from.substring(i, i + 1);
  }
}
