package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TopicSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Property test with random rules, claims and patterns; the model matches by regular expressions.
 */
final class PermissionsPropertyTest {
  private static final int CASES = Boolean.getBoolean("sluice.full") ? 2_000 : 500;
  private static final List<String> LEVELS = List.of("a", "b", "cc", "u-a");
  private static final List<Object> VALUES = List.of("a", "b", "cc", 7, "*", ">", "a.b", "", true);
  private static final List<String> CLAIMS = List.of("sub", "c", "deep.d");

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final List<PermissionRule> rules = new ArrayList<>();
  private final Map<String, Object> claims = new HashMap<>();
  private final Map<String, Object> listed = new HashMap<>();
  private String subject;

  @Test
  void shouldGrantExactlyWhatTheRulesAllow() throws AuthenticationFailure {
    int granted = 0;
    for (int i = 0; i < CASES; i++) {
      chooseCase();
      Config config =
          Config.defaults()
              .with(TopicSettings.PERMISSION_RULES, List.copyOf(rules))
              .with(TopicSettings.PERMISSION_CLAIM, "listed");
      Grant grant =
          Permissions.of(AuthOptions.of(config).permissions())
              .grant(TestAccess.principal(subject, claims));
      for (int j = 0; j < 20; j++) {
        granted += check(grant) ? 1 : 0;
      }
    }
    assertThat(granted).as("patterns that were granted at all, seed %d", seed).isGreaterThan(CASES);
  }

  private boolean check(Grant grant) {
    String topic = topicOf(pattern());
    assertThat(grant.maySubscribe(topic))
        .as("subscribe to %s by %s", topic, this)
        .isEqualTo(isGranted(topic, true));
    assertThat(grant.mayPublish(topic))
        .as("publish to %s by %s", topic, this)
        .isEqualTo(isGranted(topic, false));
    String pattern = pattern();
    boolean may = grant.maySubscribe(pattern);
    for (int i = 0; may && i < 10; i++) {
      String matched = topicOf(pattern);
      assertThat(isGranted(matched, true))
          .as("%s, which %s matches, by %s", matched, pattern, this)
          .isTrue();
    }
    return may;
  }

  private void chooseCase() {
    claims.clear();
    listed.clear();
    rules.clear();
    subject = oneOf(List.of("", "a", "b", "cc"));
    if (random.nextBoolean()) {
      claims.put("c", value());
    }
    if (random.nextBoolean()) {
      claims.put("deep", Map.of("d", value()));
    }
    if (random.nextInt(4) == 0) {
      listed.put("subscribe", List.of(pattern(), "a..b"));
      listed.put("publish", List.of(pattern()));
      claims.put("listed", Map.copyOf(listed));
    }
    for (int i = random.nextInt(4); i >= 0; i--) {
      rules.add(new PermissionRule(conditions(), templates(), templates()));
    }
  }

  private Object value() {
    return random.nextBoolean() ? oneOf(VALUES) : List.of(oneOf(VALUES), oneOf(VALUES));
  }

  private Map<String, String> conditions() {
    return switch (random.nextInt(4)) {
      case 0 -> Map.of(oneOf(CLAIMS), oneOf(List.of("a", "b", "7", "true", "*")));
      case 1 -> Map.of("sub", "*", "c", oneOf(List.of("a", "*")));
      default -> Map.of();
    };
  }

  private List<String> templates() {
    return Stream.generate(this::template).limit(random.nextInt(3)).toList();
  }

  private String template() {
    String[] levels = pattern().split("\\.");
    int at = random.nextInt(levels.length);
    if (random.nextBoolean() && !levels[at].equals(">")) {
      levels[at] = (random.nextBoolean() ? "" : "u-") + "{" + oneOf(CLAIMS) + "}";
    }
    return String.join(".", levels);
  }

  private String pattern() {
    List<String> levels = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      levels.add(random.nextInt(3) == 0 ? "*" : oneOf(LEVELS));
    }
    if (random.nextInt(3) == 0) {
      levels.set(levels.size() - 1, ">");
    }
    return String.join(".", levels);
  }

  private String topicOf(String pattern) {
    List<String> levels = new ArrayList<>();
    for (String level : pattern.split("\\.")) {
      if (level.equals(">")) {
        Stream.generate(() -> oneOf(LEVELS)).limit(1 + random.nextInt(3)).forEach(levels::add);
      } else {
        levels.add(level.equals("*") ? oneOf(LEVELS) : level);
      }
    }
    return String.join(".", levels);
  }

  private <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  // The model: the documentation, implemented in the simplest way.

  private boolean isGranted(String topic, boolean subscribe) {
    Object own = listed.get(subscribe ? "subscribe" : "publish");
    Stream<String> byClaim =
        own instanceof List<?> list ? list.stream().map(String.class::cast) : Stream.empty();
    Stream<String> byRules =
        rules.stream()
            .filter(rule -> rule.conditions().entrySet().stream().allMatch(this::holds))
            .flatMap(
                rule -> rule.patterns(subscribe ? Operation.SUBSCRIBE : Operation.PUBLISH).stream())
            .flatMap(this::filled);
    return Stream.concat(byClaim, byRules)
        .filter(pattern -> !pattern.contains(".."))
        .anyMatch(pattern -> topic.matches(expression(pattern)));
  }

  private boolean holds(Map.Entry<String, String> condition) {
    return values(condition.getKey()).stream()
        .map(String::valueOf)
        .anyMatch(
            value ->
                condition.getValue().equals("*")
                    ? !value.isEmpty()
                    : value.equals(condition.getValue()));
  }

  private Stream<String> filled(String template) {
    for (String claim : CLAIMS) {
      String gap = "{" + claim + "}";
      if (template.contains(gap)) {
        return values(claim).stream()
            .filter(value -> !(value instanceof Boolean))
            .map(String::valueOf)
            .filter(value -> value.matches("[a-z0-9]+"))
            .map(value -> template.replace(gap, value));
      }
    }
    return Stream.of(template);
  }

  private List<?> values(String claim) {
    Object value =
        switch (claim) {
          case "sub" -> subject;
          case "c" -> claims.get("c");
          default -> claims.get("deep") instanceof Map<?, ?> deep ? deep.get("d") : null;
        };
    if (value == null) {
      return List.of();
    }
    return value instanceof List<?> list ? list : List.of(value);
  }

  private static String expression(String pattern) {
    List<String> levels = new ArrayList<>();
    for (String level : pattern.split("\\.")) {
      levels.add(
          switch (level) {
            case "*" -> "[^.]+";
            case ">" -> ".+";
            default -> Pattern.quote(level);
          });
    }
    return String.join("\\.", levels);
  }

  @Override
  public String toString() {
    return rules + ", sub " + subject + ", " + claims + " (seed " + seed + ")";
  }
}
