package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Selectors that the node refuses, and others that it leaves to the broker. */
final class SelectorRulesTest {
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
        "((((",
      })
  void shouldLeaveToTheBroker(String selector) {
    assertThat(SelectorRules.problem(selector)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name LIKE '%a%b'",
        "name like'%%a'",
        "name NOT LIKE\n'x%a%b%'",
        "name LIKE '%''%''a'",
        "a = '''' AND name LIKE '%a%b'",
        "name LIKE '%a%b",
      })
  void shouldRefuseExpensivePatterns(String selector) {
    assertThat(SelectorRules.problem(selector)).contains("LIKE");
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
    assertThat(SelectorRules.problem(selector)).contains("must not contain");
  }
}
