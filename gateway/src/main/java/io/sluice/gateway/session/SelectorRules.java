package io.sluice.gateway.session;

import java.util.Locale;
import java.util.Set;

/**
 * Rules that protect the broker from expensive selectors. It evaluates each selector for each
 * message of a topic, on the threads that accept messages. Everything else is left to its parser.
 * Stateless, for any thread.
 *
 * <p>A pattern with several wildcards takes time that grows with a power of the property's length:
 * minutes for 1,000 characters. Some brokers have functions with regular expressions, and evaluate
 * XPath in the body of a message. Comments and quoted identifiers are refused because they could
 * hide these.
 */
final class SelectorRules {
  /** Words that precede a parenthesis without being a function. */
  private static final Set<String> OPERATORS = Set.of("AND", "OR", "NOT", "IN", "BETWEEN");

  private static final Set<String> XML = Set.of("XPATH", "XQUERY");

  private final String selector;
  private int at;

  /** The latest word in capitals; empty if something else has followed it. */
  private String word = "";

  private SelectorRules(String selector) {
    this.selector = selector;
  }

  /** Returns why the node refuses a selector, or null. */
  static String problem(String selector) {
    SelectorRules rules = new SelectorRules(selector);
    String problem = null;
    while (problem == null && rules.at < selector.length()) {
      problem = rules.next();
    }
    return problem;
  }

  private String next() {
    char c = selector.charAt(at);
    if (c == '\'') {
      return literal();
    }
    if (c == '"' || selector.startsWith("--", at) || selector.startsWith("/*", at)) {
      return "\"where\" must not contain comments or double quotation marks";
    }
    if (Character.isJavaIdentifierPart(c)) {
      return word();
    }
    boolean function = c == '(' && !word.isEmpty() && !OPERATORS.contains(word);
    if (c > ' ') {
      word = "";
    }
    at++;
    return function ? "\"where\" must not contain functions" : null;
  }

  private String word() {
    int start = at;
    while (at < selector.length() && Character.isJavaIdentifierPart(selector.charAt(at))) {
      at++;
    }
    word = selector.substring(start, at).toUpperCase(Locale.ROOT);
    return XML.contains(word) ? "\"where\" must not contain " + word : null;
  }

  private String literal() {
    int start = ++at;
    boolean open = true;
    while (open && at < selector.length()) {
      boolean quote = selector.charAt(at) == '\'';
      boolean doubled = quote && selector.startsWith("''", at);
      open = !quote || doubled;
      at += doubled ? 2 : 1;
    }
    String content = selector.substring(start, open ? at : at - 1);
    boolean expensive = word.equals("LIKE") && isExpensive(content);
    word = "";
    return expensive
        ? "a pattern of LIKE in \"where\" must not contain more than one % before its end"
        : null;
  }

  private static boolean isExpensive(String pattern) {
    int end = pattern.length();
    while (end > 0 && pattern.charAt(end - 1) == '%') {
      end--;
    }
    return pattern.substring(0, end).chars().filter(c -> c == '%').count() > 1;
  }
}
