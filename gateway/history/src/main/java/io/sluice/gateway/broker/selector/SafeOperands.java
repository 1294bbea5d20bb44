package io.sluice.gateway.broker.selector;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds selectors whose evaluation can fail at ActiveMQ Classic, which then dispatches no message
 * of the destination to anyone. Confined to one thread.
 *
 * <p>Its arithmetic fails for values that are no numbers, and its minus for bytes and shorts. A
 * double on the left of a comparison fails with a float on the right, and only a property is a
 * float.
 */
public final class SafeOperands {
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<text>'[^']*+')"
              + "|(?<number>0[xX][0-9a-fA-F]++|(?:\\d++\\.?\\d*+|\\.\\d++)(?:[eE][+-]?\\d++)?+[lL]?+)"
              + "|(?<word>[\\p{javaJavaIdentifierPart}]++)"
              + "|<=|>=|<>|[^\\s]");

  private static final Pattern WHOLE = Pattern.compile("0[xX].*|\\d+[lL]?");
  private static final Set<String> COMPARISONS = Set.of("=", "<>", "<", ">", "<=", ">=");
  private static final Set<String> CONSTANTS = Set.of("TRUE", "FALSE", "NULL");
  private static final Set<String> OPERATORS =
      Set.of("AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "ESCAPE", "IS");

  /** Part of a selector that ends with the latest token. */
  private enum Part {
    OPERATOR,
    /** Text, whole number or constant. */
    EXACT,
    /** Anything else that has a value. */
    VALUE
  }

  private Part before = Part.OPERATOR;
  private boolean afterMinus;

  /** The next operand is the right one of a comparison that can fail. */
  private boolean needsLiteral;

  /** Number of bounds of BETWEEN that can fail and are not read yet. */
  private int bounds;

  private SafeOperands() {}

  /**
   * Returns why the evaluation of a selector can fail, with the place; or null.
   *
   * @param selector one without a {@link SelectorSyntax#problem}
   */
  public static String problem(String selector) {
    SafeOperands operands = new SafeOperands();
    Matcher token = TOKEN.matcher(selector);
    while (token.find()) {
      String problem = operands.next(token);
      if (problem != null) {
        return problem + ", at character " + (token.start() + 1);
      }
    }
    return null;
  }

  private String next(Matcher token) {
    String text = token.group().toUpperCase(Locale.ROOT);
    boolean isNumber = token.group("number") != null;
    if (afterMinus && !isNumber) {
      return "this broker requires a number behind the sign -";
    }
    afterMinus = false;
    if (isNumber) {
      return operand(WHOLE.matcher(text).matches() ? Part.EXACT : Part.VALUE, true);
    }
    if (token.group("text") != null || CONSTANTS.contains(text)) {
      return operand(Part.EXACT, true);
    }
    if (token.group("word") != null) {
      return OPERATORS.contains(text) ? operator(text) : operand(Part.VALUE, false);
    }
    return switch (text) {
      case "+", "-" -> sign(text);
      case "*", "/", "%" -> arithmetic(text);
      case "(" -> operand(Part.OPERATOR, false);
      case ")" -> operand(Part.VALUE, true);
      default -> operator(text);
    };
  }

  private String operand(Part part, boolean isLiteral) {
    if (needsLiteral && !isLiteral) {
      return "this broker requires a literal on the right of a comparison and in BETWEEN,"
          + " or a text or whole number on the left";
    }
    needsLiteral = false;
    before = part;
    return null;
  }

  private String operator(String text) {
    if (COMPARISONS.contains(text)) {
      needsLiteral = before != Part.EXACT;
    } else if (text.equals("BETWEEN")) {
      bounds = before == Part.EXACT ? 0 : 2;
    }
    if (bounds > 0 && (text.equals("BETWEEN") || text.equals("AND"))) {
      needsLiteral = true;
      bounds--;
    }
    before = Part.OPERATOR;
    return null;
  }

  private String sign(String text) {
    if (before != Part.OPERATOR) {
      return arithmetic(text);
    }
    afterMinus = text.equals("-");
    return null;
  }

  private static String arithmetic(String text) {
    return "this broker cannot evaluate arithmetic with all types of properties; \"where\" uses "
        + text;
  }
}
