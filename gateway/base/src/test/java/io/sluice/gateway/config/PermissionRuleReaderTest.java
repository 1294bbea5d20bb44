package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.PermissionRule.Operation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PermissionRuleReaderTest {
  private static final String EXPECTED =
      "; expected a list of at most 1000 rules with if, compress and subscribe, publish, send, consume,"
          + " browse, durable, shared, presence, each with at most as many elements";

  private static ConfigDraft parse(String text) {
    return ConfigFile.parse("f", text, Map.of("DESK", "fx")::get);
  }

  private static List<String> problems(String text) {
    return FoundProblems.of(parse(text)).stream().map(Problem::toString).toList();
  }

  @Test
  void shouldReadRules() {
    ConfigDraft draft =
        parse(
            """
            permissions:
              rules:
                - subscribe: [public.>]
                - if: {roles: trader, desk: "*", realm_access.roles: "${DESK}"}
                  subscribe: [prices.>, "orders.{sub}.>"]
                  publish: ["orders.{realm_access.id}.new"]
            """);
    assertThat(FoundProblems.of(draft)).isEmpty();
    assertThat(draft.config().get(TopicSettings.PERMISSION_RULES))
        .containsExactly(
            new PermissionRule(Map.of(), Map.of(Operation.SUBSCRIBE, List.of("public.>"))),
            new PermissionRule(
                Map.of("roles", "trader", "desk", "*", "realm_access.roles", "fx"),
                List.of("prices.>", "orders.{sub}.>"),
                List.of("orders.{realm_access.id}.new")));
  }

  @Test
  void shouldReadRulesAsTheyAreWritten() {
    List<PermissionRule> rules =
        List.of(
            new PermissionRule(
                Map.of("roles", "a \"b\" \\c", "https://x/y z", "${DESK}"),
                Map.of(
                    Operation.SUBSCRIBE,
                    List.of("prices.>", "orders.{sub}.>"),
                    Operation.SEND,
                    List.of("in")),
                true),
            new PermissionRule(Map.of(), List.of("public.>"), List.of()));
    ConfigDraft draft = parse("permissions:\n  rules: " + ValueText.write(rules));
    assertThat(FoundProblems.of(draft)).isEmpty();
    assertThat(draft.config().get(TopicSettings.PERMISSION_RULES)).isEqualTo(rules);
  }

  @Test
  void shouldReadCompression() {
    ConfigDraft draft =
        parse(
            """
            permissions:
              rules:
                - subscribe: [public.>]
                - if: {roles: partner}
                  compress: alone
            """);
    assertThat(FoundProblems.of(draft)).isEmpty();
    assertThat(draft.config().get(TopicSettings.PERMISSION_RULES))
        .extracting(PermissionRule::compressAlone)
        .containsExactly(false, true);
    for (String value : new String[] {"together", "[alone]", "true", ""}) {
      String rule = "- subscribe: [a]\n      compress: " + value;
      assertThat(problems("permissions:\n  rules:\n    " + rule)).as(value).hasSize(1);
    }
    assertThat(problems("permissions: {rules: [{compress: together}]}"))
        .singleElement()
        .asString()
        .contains("rule 1: compress is \"together\", not alone");
  }

  @Test
  void shouldReadRulesForQueuesAndSubscriptions() {
    ConfigDraft draft =
        parse(
            """
            permissions:
              rules:
                - send: [orders]
                - consume: ["inbox.{sub}"]
                  browse: [orders, "inbox.>"]
                - durable: ["orders.{sub}.>"]
                  shared: [jobs.*]
            """);
    assertThat(FoundProblems.of(draft)).isEmpty();
    assertThat(draft.config().get(TopicSettings.PERMISSION_RULES))
        .containsExactly(
            new PermissionRule(Map.of(), Map.of(Operation.SEND, List.of("orders"))),
            new PermissionRule(
                Map.of(),
                Map.of(
                    Operation.CONSUME,
                    List.of("inbox.{sub}"),
                    Operation.BROWSE,
                    List.of("orders", "inbox.>"))),
            new PermissionRule(
                Map.of(),
                Map.of(
                    Operation.DURABLE,
                    List.of("orders.{sub}.>"),
                    Operation.SHARED,
                    List.of("jobs.*"))));
  }

  @Test
  void shouldReadRulesBehindADottedKey() {
    ConfigDraft draft = parse("permissions.rules: [{publish: [a]}]");
    assertThat(FoundProblems.of(draft)).isEmpty();
    assertThat(draft.config().get(TopicSettings.PERMISSION_RULES))
        .containsExactly(new PermissionRule(Map.of(), Map.of(Operation.PUBLISH, List.of("a"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a | 1:20 | \"a\" is a single value",
        "{subscribe: [a]} | 1:20 | is a map",
        "[a] | 1:21 | rule 1 is a single value",
        "[null] | 1:21 | rule 1 is empty",
        "[[a]] | 1:21 | rule 1 is a list",
        "[{}] | 1:21 | rule 1 grants nothing",
        "[{subscribe: [a]}, {if: {a: b}}] | 1:39 | rule 2 grants nothing",
        "[{subscribe: []}] | 1:21 | rule 1 grants nothing",
        "[{publsh: [a]}] | 1:22 | rule 1: unknown key \"publsh\"; did you mean publish?",
        "[{subscribe: a.>}] | 1:33 | rule 1: subscribe is a single value, not a list of patterns",
        "[{subscribe: [[a]]}] | 1:34 | rule 1: subscribe is a list",
        "[{subscribe: [null]}] | 1:34 | rule 1: subscribe is null, not a text: quote it",
        "[{subscribe: [a, b..c]}] | 1:37 | rule 1: subscribe: level 2 of \"b..c\" is empty",
        "[{publish: ['a.>.b']}] | 1:32 | rule 1: publish: level 2 of \"a.>.b\" is >, which is only"
            + " allowed as the last level",
        "[{browse: []}] | 1:21 | rule 1 grants nothing",
        "[{brows: [a]}] | 1:22 | rule 1: unknown key \"brows\"; did you mean browse?",
        "[{consume: [a..b]}] | 1:32 | rule 1: consume: level 2 of \"a..b\" is empty",
        "[{durabel: [a]}] | 1:22 | rule 1: unknown key \"durabel\"; did you mean durable?",
        "[{shared: [a..b]}] | 1:31 | rule 1: shared: level 2 of \"a..b\" is empty",
        "[{send: a}] | 1:28 | rule 1: send is a single value, not a list of patterns",
        "[{publish: ['a.{}']}] | 1:32 | rule 1: publish: \"a.{}\" has empty braces",
        "[{publish: ['a.{sub']}] | 1:32 | rule 1: publish: \"a.{sub\" has an unmatched brace",
        "[{publish: ['*{sub}']}] | 1:32 | rule 1: publish: level 1 of \"*x\" has the character '*',"
            + " which is not allowed there",
        "[{publish: ['${NOPE}']}] | 1:32 | rule 1: publish uses the environment variable NOPE,"
            + " which is not set",
        "[{if: , publish: [a]}] | 1:25 | rule 1: if contains no condition; a rule without if"
            + " applies to all clients",
        "[{if: {}, publish: [a]}] | 1:26 | rule 1: if contains no condition; a rule without if"
            + " applies to all clients",
        "[{if: a, publish: [a]}] | 1:26 | rule 1: if contains no condition; a rule without if"
            + " applies to all clients",
        "[{if: {a: }, publish: [a]}] | 1:29 | rule 1: if: a has no value",
        "[{if: {a: ''}, publish: [a]}] | 1:30 | rule 1: if: a is empty",
        "[{if: {a: [b]}, publish: [a]}] | 1:30 | rule 1: if: a is a list",
      })
  void shouldReportProblemsWithTheirPosition(String rules, String place, String what) {
    assertThat(problems("permissions.rules: " + rules))
        .containsExactly("f:" + place + ": permissions.rules: " + what + EXPECTED);
  }

  @Test
  void shouldReportEachProblemWithItsPosition() {
    String text =
        """
        permissions:
          rules:
            - publish: [a..b]
              publish: [c]
            - subscribe: [d#]
        """;
    assertThat(problems(text))
        .extracting(problem -> problem.substring(0, problem.indexOf(": ")))
        .containsExactly("f:3:17", "f:4:7", "f:5:19");
  }

  @Test
  void shouldDiscardAllRulesIfOneIsInvalid() {
    ConfigDraft draft = parse("permissions.rules: [{publish: [a]}, {publish: ['#']}]");
    assertThat(FoundProblems.of(draft)).hasSize(1);
    assertThat(draft.config().get(TopicSettings.PERMISSION_RULES)).isEmpty();
  }

  @Test
  void shouldBoundRulesPatternsAndConditions() {
    String patterns = "a,".repeat(1001);
    assertThat(problems("permissions.rules: [" + "{publish: [a]},".repeat(1001) + "]"))
        .containsExactly("f:1:20: permissions.rules: has 1001 elements" + EXPECTED);
    assertThat(problems("permissions.rules: [{publish: [" + patterns + "]}]"))
        .containsExactly("f:1:31: permissions.rules: rule 1: publish has 1001 elements" + EXPECTED);
    StringBuilder conditions = new StringBuilder();
    for (int i = 0; i < 1001; i++) {
      conditions.append("c").append(i).append(": x, ");
    }
    assertThat(problems("permissions.rules: [{if: {" + conditions + "}, publish: [a]}]"))
        .containsExactly("f:1:26: permissions.rules: rule 1: if has 1001 elements" + EXPECTED);
  }

  @Test
  void shouldApplyTheConfiguredLimitsToPatterns() {
    String text = "permissions.rules: [{publish: ['a.{sub}" + ".c".repeat(15) + "']}]";
    assertThat(problems(text))
        .hasSize(1)
        .first()
        .asString()
        .startsWith("f:1:20: permissions.rules: the topic has more than 16 levels");
  }
}
