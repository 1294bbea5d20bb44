package io.sluice.gateway.broker.selector;

import org.apache.activemq.artemis.selector.filter.BooleanExpression;
import org.apache.activemq.artemis.selector.filter.FilterException;
import org.apache.activemq.artemis.selector.impl.SelectorParser;

/**
 * Compiled selector, evaluated like by the broker: docs/reference/asyncapi.yaml, {@code subscribe}.
 * Immutable, for any thread.
 */
public final class Selector {
  /** Maximum number of characters of the parser's explanation. */
  private static final int MAX_EXPLANATION = 500;

  private final BooleanExpression expression;

  private Selector(BooleanExpression expression) {
    this.expression = expression;
  }

  /**
   * Compiles a selector.
   *
   * @throws InvalidSelector if it exceeds the bounds of {@link SelectorSyntax}, cannot be parsed,
   *     or uses another header than those of Jakarta Messaging
   */
  public static Selector compile(String text) throws InvalidSelector {
    String problem = SelectorSyntax.problem(text);
    if (problem != null) {
      throw new InvalidSelector(problem);
    }
    Selector compiled;
    try {
      compiled = new Selector(SelectorParser.parse(SelectorSyntax.normalized(text)));
    } catch (FilterException e) {
      throw new InvalidSelector(explanation(text));
    }
    String header = SelectorSyntax.unknownHeader(text);
    if (header != null) {
      throw new InvalidSelector(
          "\"where\" uses "
              + header
              + "; allowed are JMSDeliveryMode, JMSPriority, JMSMessageID, JMSTimestamp,"
              + " JMSCorrelationID, JMSType and properties");
    }
    return compiled;
  }

  /** Returns whether the selector is true for a message; false if it cannot be evaluated. */
  public boolean matches(MessageFields fields) {
    try {
      return expression.matches(fields);
    } catch (FilterException | RuntimeException e) {
      return false; // such as arithmetic with a text; brokers do the same
    }
  }

  // Places refer to the client's text.
  private static String explanation(String text) {
    try {
      SelectorParser.parse(text);
      return "\"where\" is no selector";
    } catch (FilterException e) {
      String why = String.valueOf(e.getCause().getMessage());
      String first = why.substring(0, Math.min(MAX_EXPLANATION, why.length())).strip();
      return "\"where\" is no selector: " + first;
    }
  }
}
