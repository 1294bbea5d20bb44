package io.sluice.gateway.broker.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.filter.MessageEvaluationContext;
import org.apache.activemq.selector.SelectorParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Selectors that the node refuses, and others that it leaves to the broker. */
final class SelectorSyntaxTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "region = 'EU' AND price > 100",
        "name = 'O''Hare' OR name IN ('a', 'b') AND NOT(price BETWEEN (1) AND 2)",
        "name LIKE 'a%' OR name LIKE '%b%' OR name LIKE 'a%b' OR name LIKE '%''%%'",
        "name LIKE 'a!%b' ESCAPE '!' AND note = 'REGEX(%a%b) -- /* \" XPATH'",
        "name LIKE '%' AND total % 5 = 1 AND x = 7 / 2 - 1",
        "convert_string_expressions:a = 1",
        "price >",
        "'",
        "name LIKE '%a",
        "name like'%%a'",
        "((((",
      })
  void shouldAccept(String selector) {
    assertThat(SelectorSyntax.problem(selector)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name LIKE '%a%b'",
        "name like'%%a%a'",
        "name NOT LIKE\n'x%a%b%'",
        "name LIKE '%''%''a'",
        "a = '''' AND name LIKE '%a%b'",
        "name LIKE '%a%b",
      })
  void shouldRefuseExpensivePatterns(String selector) {
    assertThat(SelectorSyntax.problem(selector)).contains("LIKE");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "REGEX('^(a+)+$', name)",
        "a = 1 AND regex\n ('a', name)",
        "INLIST(name, 'a')",
        "XPATH '//a'",
        "xquery '//a'",
        "/*'*/ name LIKE '%a%b%c' /*'*/",
        "REGEX/**/('a', name)",
        "a = 1 --'\n AND name LIKE '%a%b%c'",
        "\"'\" = 1 AND name LIKE '%a%b%c' AND \"'\" = 1",
      })
  void shouldRefuseFunctionsXmlAndWhatCouldHideThem(String selector) {
    assertThat(SelectorSyntax.problem(selector)).contains("must not contain");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          a LIKE '%%%'                      | a LIKE '%'
          a LIKE 'x%%_%y_%_%'               | a LIKE 'x_%y__%'
          a LIKE '%%'' _ %%'                | a LIKE '%'' _ %'
          a LIKE '!%%%' ESCAPE '!'          | a LIKE '!%%' ESCAPE '!'
          a LIKE '%%%%' escape '%'          | a LIKE '%%%%' escape '%'
          a LIKE '''%%' ESCAPE ''''         | a LIKE '''%%' ESCAPE ''''
          a = '%%' AND b LIKE '%%'          | a = '%%' AND b LIKE '%'
          a NOT LIKE  '%%a' OR b            | a NOT LIKE  '%a' OR b
          LIKE '%%                          | LIKE '%
          """)
  void shouldJoinWildcards(String selector, String normalized) {
    assertThat(SelectorSyntax.normalized(selector)).isEqualTo(normalized);
    assertThat(SelectorSyntax.normalized(normalized)).isEqualTo(normalized);
  }

  @Test
  void shouldBoundWildcardsOperatorsAndDepthWithTheirPlace() throws InvalidSelector {
    bound("a LIKE '" + "_".repeat(100), "_' OR b", "has 101 _; the limit is 100, at character 8");
    bound("a = 1" + " OR a = 1".repeat(249), " OR b = 1", "more than 500 operators");
    bound("1 = 1" + "+1".repeat(499), "+1", "more than 500 operators");
    bound("(".repeat(32) + "a", ")(((", "more than 32 times");
    bound("a = " + "- ".repeat(32), "-1", "more than 32 times");
    bound("a = " + "+ ".repeat(32), "+1", "more than 32 times");
    bound("NOT ".repeat(32) + "a", " AND " + "NOT ".repeat(33) + "a", "more than 32 times");
    Selector.compile("a IN ('x'" + ",'x'".repeat(10_000) + ")");
    Selector.compile("a LIKE '" + "%".repeat(60_000) + "'");
    Selector.compile("a LIKE '" + "%_".repeat(100) + "'");
    Selector.compile("a LIKE '" + "x".repeat(60_000) + "%'");
    Selector.compile("(".repeat(32) + "a = -1" + ")".repeat(32));
  }

  private static void bound(String allowed, String more, String problem) {
    assertThat(SelectorSyntax.problem(allowed)).as(allowed).isNull();
    assertThat(SelectorSyntax.problem(allowed + more)).contains(problem).contains("at character ");
  }

  @ParameterizedTest
  @CsvSource({
    "NOT (n = 1), true",
    "NOT n = 1, false",
    "NOT n LIKE 'x', false",
    "none = none, true",
    "none = missing, true",
    "none = none AND none IS NOT NULL, false",
    "none <> none, false",
    "n = none, false",
  })
  void shouldBindNotAndCompareMissingPropertiesAsDocumented(String selector, boolean matches)
      throws Exception {
    ActiveMQMessage message = new ActiveMQMessage();
    message.setIntProperty("n", 2);

    assertThat(Selector.compile(selector).matches(MessageFields.of(message))).isEqualTo(matches);
    MessageEvaluationContext context = new MessageEvaluationContext();
    context.setDestination(new ActiveMQQueue("orders"));
    context.setMessageReference(message);
    assertThat(SelectorParser.parse(selector).matches(context)).as("Classic").isEqualTo(matches);
  }

  @Test
  void shouldRefuseOtherHeaders() {
    for (String name : List.of("JMSExpiration", "JMSDestination", "JMSRedelivered", "JMSfoo")) {
      assertThatThrownBy(() -> Selector.compile("a = 1 AND " + name + " = 1"))
          .isInstanceOf(InvalidSelector.class)
          .hasMessageContaining(name)
          .hasMessageContaining("JMSCorrelationID");
    }
  }
}
