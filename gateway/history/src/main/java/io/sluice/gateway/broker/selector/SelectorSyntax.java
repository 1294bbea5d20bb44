package io.sluice.gateway.broker.selector;

import java.util.Locale;
import java.util.Set;

/**
 * Bounds of selectors, which protect the node and the broker from expensive ones: each is evaluated
 * for each message of a topic or queue. Everything else is left to the parser. Confined to one
 * thread.
 *
 * <p>A pattern with several wildcards takes time that grows with a power of the property's length:
 * minutes for 1,000 characters. Each wildcard, nesting level and operator takes stack of the thread
 * that evaluates it. Some brokers have functions with regular expressions, and evaluate XPath in
 * the body of a message. Comments and quoted identifiers are refused because they could hide these.
 */
public final class SelectorSyntax {
  /** Maximum depth of nested parentheses, and number of signs and {@code NOT} in a row. */
  static final int MAX_DEPTH = 32;

  /** Maximum number of operators, including {@code AND} and {@code OR}. */
  static final int MAX_OPERATORS = 500;

  /** Maximum number of {@code _} in a pattern of {@code LIKE}. */
  static final int MAX_SINGLE_WILDCARDS = 100;

  private static final String ESCAPE = "ESCAPE";
  private static final String NOT = "NOT";
  private static final int NO_ESCAPE = -1;

  /** Words that precede a parenthesis without being a function. */
  private static final Set<String> BEFORE_PARENTHESIS = Set.of("AND", "OR", NOT, "IN", "BETWEEN");

  private static final Set<String> OPERATORS =
      Set.of("AND", "OR", NOT, "IN", "BETWEEN", "LIKE", "IS");

  private static final Set<String> XML = Set.of("XPATH", "XQUERY");

  /** Headers that a selector of Jakarta Messaging may use. */
  private static final Set<String> HEADERS =
      Set.of(
          MessageFields.DELIVERY_MODE,
          MessageFields.PRIORITY,
          MessageFields.MESSAGE_ID,
          MessageFields.TIMESTAMP,
          MessageFields.CORRELATION_ID,
          MessageFields.TYPE);

  private final String selector;
  private final StringBuilder normalized;
  private int at;

  /** The latest word in capitals; empty if something else has followed it. */
  private String word = "";

  private int depth;
  private int prefixes;
  private int operators;
  private boolean inComparison;
  private String header;

  /** Unit of a pattern of {@code LIKE}: one character, or an escaped one. */
  private final class LikePattern {
    private final StringBuilder text = new StringBuilder();
    private int singles;
    private int manies;

    /** Number of {@code _} behind the latest other character, and whether a % is among them. */
    private int pending;

    private boolean pendingMany;

    void add(String content, int escape) {
      for (int i = 0; i < content.length(); ) {
        int end = unitEnd(content, i);
        char c = content.charAt(i);
        if (c == escape && isEscaped(content, end, escape)) {
          end = unitEnd(content, end);
          addLiteral(content, i, end);
        } else if (c == '%') {
          pendingMany = true;
        } else if (c == '_') {
          pending++;
        } else {
          addLiteral(content, i, end);
        }
        i = end;
      }
    }

    private static boolean isEscaped(String content, int next, int escape) {
      if (next >= content.length()) {
        return false;
      }
      char c = content.charAt(next);
      return c == '_' || c == '%' || c == escape;
    }

    // A quote is written as two.
    private static int unitEnd(String content, int start) {
      return Math.min(content.length(), start + (content.charAt(start) == '\'' ? 2 : 1));
    }

    private void addLiteral(String content, int start, int end) {
      flush();
      text.append(content, start, end);
    }

    // Wildcards in a row have one meaning in any order: at least, or exactly, so many characters.
    private void flush() {
      text.append("_".repeat(pending)).append(pendingMany ? "%" : "");
      singles += pending;
      manies += pendingMany ? 1 : 0;
      pending = 0;
      pendingMany = false;
    }

    String problem() {
      boolean atEnd = pendingMany;
      flush();
      if (manies - (atEnd ? 1 : 0) > 1) {
        return "a pattern of LIKE in \"where\" must not contain more than one % before its end";
      }
      return singles > MAX_SINGLE_WILDCARDS
          ? "a pattern of LIKE in \"where\" has %d _; the limit is %d"
              .formatted(singles, MAX_SINGLE_WILDCARDS)
          : null;
    }
  }

  private SelectorSyntax(String selector) {
    this.selector = selector;
    this.normalized = new StringBuilder(selector.length());
  }

  /** Returns why a selector is refused before it is parsed, with the place; or null. */
  public static String problem(String selector) {
    return new SelectorSyntax(selector).read();
  }

  /**
   * Returns an equivalent selector whose patterns of {@code LIKE} have as few wildcards as possible
   * in a row.
   *
   * @param selector one without a {@link #problem}, or null
   */
  public static String normalized(String selector) {
    if (selector == null) {
      return null;
    }
    SelectorSyntax syntax = new SelectorSyntax(selector);
    return syntax.read() == null ? syntax.normalized.toString() : selector;
  }

  /**
   * Returns the first name that starts with JMS and is no header that selectors may use; or null.
   */
  static String unknownHeader(String selector) {
    SelectorSyntax syntax = new SelectorSyntax(selector);
    syntax.read();
    return syntax.header;
  }

  private String read() {
    while (at < selector.length()) {
      int start = at;
      String problem = next();
      if (problem != null) {
        return problem + ", at character " + (start + 1);
      }
    }
    return null;
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
    normalized.append(c);
    at++;
    String before = word;
    if (c > ' ') {
      word = "";
    }
    return c == '(' && !before.isEmpty() && !BEFORE_PARENTHESIS.contains(before)
        ? "\"where\" must not contain functions"
        : symbol(c);
  }

  private String symbol(char c) {
    switch (c) {
      case '(' -> {
        depth++;
        prefixes = 0;
      }
      case ')' -> {
        depth--;
        prefixes = 0;
      }
      case '+', '-' -> onOperator(true);
      case '*', '/', '%' -> onOperator(false);
      case '<', '>', '=' -> {
        if (!inComparison) {
          onOperator(false);
        }
        inComparison = true;
        return boundProblem();
      }
      default -> {}
    }
    inComparison = false;
    return boundProblem();
  }

  private void onOperator(boolean prefix) {
    operators++;
    prefixes = prefix ? prefixes + 1 : 0;
  }

  private String boundProblem() {
    if (depth > MAX_DEPTH || prefixes > MAX_DEPTH) {
      return "\"where\" nests parentheses, signs or NOT more than " + MAX_DEPTH + " times";
    }
    return operators > MAX_OPERATORS
        ? "\"where\" has more than " + MAX_OPERATORS + " operators"
        : null;
  }

  private String word() {
    int start = at;
    at = wordEnd(start);
    String name = selector.substring(start, at);
    normalized.append(name);
    word = name.toUpperCase(Locale.ROOT);
    inComparison = false;
    if (XML.contains(word)) {
      return "\"where\" must not contain " + word;
    }
    if (OPERATORS.contains(word)) {
      onOperator(word.equals(NOT));
    } else {
      prefixes = 0;
    }
    if (header == null && isUnknownHeader(name)) {
      header = name;
    }
    return boundProblem();
  }

  private static boolean isUnknownHeader(String name) {
    return name.startsWith("JMS")
        && !name.startsWith("JMSX")
        && !name.startsWith("JMS_")
        && !HEADERS.contains(name);
  }

  private int wordEnd(int start) {
    int end = start;
    while (end < selector.length() && Character.isJavaIdentifierPart(selector.charAt(end))) {
      end++;
    }
    return end;
  }

  private String literal() {
    int start = at;
    boolean pattern = word.equals("LIKE");
    word = "";
    prefixes = 0;
    inComparison = false;
    at = literalEnd(start);
    boolean closed = at > start + 1 && selector.charAt(at - 1) == '\'' && isClosed(start, at);
    String content = selector.substring(start + 1, closed ? at - 1 : at);
    if (!pattern) {
      normalized.append(selector, start, at);
      return null;
    }
    LikePattern like = new LikePattern();
    like.add(content, escapeAfter(at));
    String problem = like.problem();
    normalized.append('\'').append(like.text).append(closed ? "'" : "");
    return problem;
  }

  /** Returns the index behind a literal, or the length if it does not end. */
  private int literalEnd(int start) {
    int end = start + 1;
    while (end < selector.length()) {
      if (selector.charAt(end) != '\'') {
        end++;
      } else if (selector.startsWith("''", end)) {
        end += 2;
      } else {
        return end + 1;
      }
    }
    return selector.length();
  }

  // The quotes at the end of an open literal are pairs.
  private boolean isClosed(int start, int end) {
    int quotes = 0;
    while (end - 1 - quotes > start && selector.charAt(end - 1 - quotes) == '\'') {
      quotes++;
    }
    return quotes % 2 == 1;
  }

  /** Returns the escape character of a pattern that ends at an index. */
  private int escapeAfter(int end) {
    int next = skipSpace(end);
    int after = wordEnd(next);
    if (!selector.substring(next, after).equalsIgnoreCase(ESCAPE)) {
      return NO_ESCAPE;
    }
    int quote = skipSpace(after);
    return selector.startsWith("'", quote) && quote + 1 < selector.length()
        ? selector.charAt(quote + 1)
        : NO_ESCAPE;
  }

  private int skipSpace(int start) {
    int next = start;
    while (next < selector.length() && selector.charAt(next) <= ' ') {
      next++;
    }
    return next;
  }
}
