package io.sluice.gateway.broker.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tokens of a .proto file, in order. Used by one thread. */
final class ProtoTokens {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s++|//[^\\n]*+|/\\*(?:[^*]|\\*(?!/))*+\\*/" // not a token
              + "|(\"(?:[^\"\\\\\\n]|\\\\.)*+\"|'(?:[^'\\\\\\n]|\\\\.)*+'" // string
              + "|[A-Za-z_][\\w.]*+|\\.[A-Za-z_][\\w.]*+" // name
              + "|[0-9.][\\w.]*+" // number
              + "|[{}\\[\\]()<>=;,:/+-])");

  private static final Set<String> OPENING = Set.of("{", "[", "(", "<");
  private static final Set<String> CLOSING = Set.of("}", "]", ")", ">");

  private final List<String> tokens = new ArrayList<>();
  private int next;

  ProtoTokens(String text) throws UnusableSchema {
    Matcher matcher = TOKEN.matcher(text);
    int end = 0;
    while (end < text.length()) {
      if (!matcher.find() || matcher.start() != end) {
        throw new UnusableSchema("the .proto file has an invalid token at index " + end);
      }
      if (matcher.group(1) != null) {
        tokens.add(matcher.group(1));
      }
      end = matcher.end();
    }
  }

  boolean isEnd() {
    return next == tokens.size();
  }

  /** Returns the next token without consuming it; an empty text at the end. */
  String peek() {
    return isEnd() ? "" : tokens.get(next);
  }

  /** Consumes the next token. */
  String take() throws UnusableSchema {
    if (isEnd()) {
      throw new UnusableSchema("the .proto file ends in a statement");
    }
    return tokens.get(next++);
  }

  /** Consumes a token if it is the next one. */
  boolean takeIf(String token) {
    boolean found = peek().equals(token);
    next += found ? 1 : 0;
    return found;
  }

  /** Consumes a token that must be the next one. */
  void require(String token) throws UnusableSchema {
    String found = take();
    if (!found.equals(token)) {
      throw new UnusableSchema("the .proto file has " + found + " instead of " + token);
    }
  }

  /** Consumes a number. */
  int takeNumber() throws UnusableSchema {
    String sign = takeIf("-") ? "-" : "";
    String digits = take();
    try {
      return Integer.decode(sign + digits);
    } catch (NumberFormatException e) {
      throw new UnusableSchema("the .proto file has " + digits + " instead of a number");
    }
  }

  /** Consumes adjacent strings. Escapes are kept: names of files and of fields have none. */
  String takeText() throws UnusableSchema {
    StringBuilder text = new StringBuilder();
    do {
      String quoted = take();
      if (!isText(quoted)) {
        throw new UnusableSchema("the .proto file has " + quoted + " instead of a string");
      }
      text.append(quoted, 1, quoted.length() - 1);
    } while (isText(peek()));
    return text.toString();
  }

  private static boolean isText(String token) {
    return token.startsWith("\"") || token.startsWith("'");
  }

  /** Skips tokens up to one of some at this level, which is not consumed. */
  void skipTo(Set<String> ends) throws UnusableSchema {
    for (int depth = 0; depth > 0 || !ends.contains(peek()); ) {
      String skipped = take();
      if (OPENING.contains(skipped)) {
        depth++;
      } else if (CLOSING.contains(skipped)) {
        depth--;
      }
    }
  }

  /** Skips a statement with a block, or up to a semicolon. */
  void skipStatement() throws UnusableSchema {
    skipTo(Set.of(";", "{"));
    if (take().equals("{")) {
      skipTo(Set.of("}"));
      require("}");
    }
  }
}
