package io.sluice.gateway.broker.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.filter.BooleanExpression;
import org.apache.activemq.filter.MessageEvaluationContext;
import org.apache.activemq.selector.SelectorParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Selectors that can fail, compared with the evaluation of ActiveMQ Classic. */
final class SafeOperandsTest {
  private static final ActiveMQDestination QUEUE = new ActiveMQQueue("orders");
  private static final int RANDOM_SELECTORS = Boolean.getBoolean("sluice.full") ? 100_000 : 50_000;
  private static final int MIN_EVALUATED = 1_000;

  private static final List<Object> VALUES =
      List.of(true, (byte) 1, (short) 1, 1, 1L, 1.5f, 1.5, "1", "x");

  private static final List<String> TOKENS =
      List.of(
          "n",
          "m",
          "n",
          "m",
          "1",
          "0",
          "2.5",
          "1e0",
          "0x1",
          "7L",
          "'x'",
          "'a''b'",
          "TRUE",
          "=",
          "<>",
          "<",
          ">",
          "<=",
          ">=",
          "=",
          "+",
          "-",
          "*",
          "/",
          "%",
          "(",
          ")",
          "AND",
          "OR",
          "NOT",
          "between",
          "BETWEEN",
          "IN ('x')",
          "LIKE 'x'",
          "IS NULL");

  private final Random random = new Random(1);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "n - 1 = 1",
        "n+1=1",
        "n * 2 > 1",
        "n/0 = 1",
        "n % 0 = 1",
        "1 = 1 -n",
        "m = 1 OR (n)+1 = 2",
        "-n = 1",
        "n = 3 OR 1 < - n",
        "1.5 = n",
        "1e0 <> n",
        "m < n",
        "m >= +n",
        "m NOT BETWEEN 0 AND n",
        "m between n and 2",
        "m = (n)",
      })
  void shouldRefuseWhatFails(String selector) throws JMSException {
    assertThat(SafeOperands.problem(selector)).contains("this broker").contains(", at character ");
    BooleanExpression expression = SelectorParser.parse(selector);
    assertThatThrownBy(() -> evaluate(expression)).isInstanceOf(RuntimeException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "region = 'EU' AND price > 100",
        "n = -1 OR n > - 1.5 AND n <> +2",
        "n BETWEEN -1 AND 2.5 AND NOT (m = 'a - b''s * c')",
        "5 < n AND 'x' = m AND 1 BETWEEN n AND m",
        "n = 1e-5 OR n IN ('-', '+') OR n LIKE '%-n' OR n IS NOT NULL",
        "NOT n AND flag = TRUE",
      })
  void shouldAcceptWhatDoesNotFail(String selector) throws JMSException {
    assertThat(SafeOperands.problem(selector)).isNull();
    evaluate(SelectorParser.parse(selector));
  }

  @Test
  void shouldAcceptOnlyRandomSelectorsThatDoNotFail() throws JMSException {
    int evaluated = 0;
    for (int i = 0; i < RANDOM_SELECTORS; i++) {
      String selector = randomSelector();
      BooleanExpression expression = parsed(selector);
      if (expression != null && SafeOperands.problem(selector) == null) {
        assertThatCode(() -> evaluate(expression)).as(selector).doesNotThrowAnyException();
        evaluated++;
      }
    }
    assertThat(evaluated).isGreaterThan(MIN_EVALUATED);
  }

  private String randomSelector() {
    List<String> tokens = new ArrayList<>();
    for (int i = 1 + random.nextInt(9); i > 0; i--) {
      tokens.add(TOKENS.get(random.nextInt(TOKENS.size())));
    }
    return String.join(" ", tokens);
  }

  private static BooleanExpression parsed(String selector) {
    try {
      return SelectorParser.parse(selector);
    } catch (InvalidSelectorException e) {
      return null;
    }
  }

  private static void evaluate(BooleanExpression expression) throws JMSException {
    for (Object n : VALUES) {
      for (Object m : VALUES) {
        ActiveMQMessage message = new ActiveMQMessage();
        message.setObjectProperty("n", n);
        message.setObjectProperty("m", m);
        MessageEvaluationContext context = new MessageEvaluationContext();
        context.setDestination(QUEUE);
        context.setMessageReference(message);
        expression.matches(context);
      }
    }
  }
}
