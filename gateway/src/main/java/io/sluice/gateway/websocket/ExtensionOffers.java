package io.sluice.gateway.websocket;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads Sec-WebSocket-Extensions by the grammar of RFC 6455, section 9.1. One use, one thread.
 *
 * <pre>
 * extension-list = 1#extension
 * extension      = token *( ";" extension-param )
 * extension-param = token [ "=" (token | quoted-string) ]
 * </pre>
 */
final class ExtensionOffers {
  /**
   * One extension that the client offers.
   *
   * @param parameters in the client's order, repeated ones included
   */
  record Offer(String name, List<Parameter> parameters) {}

  /**
   * @param value null if there is none; without its quotes if it had any
   */
  record Parameter(String name, String value) {}

  /** The header is against the grammar. */
  static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
      super(message, null, false, false);
    }
  }

  private final String header;
  private int at;

  private ExtensionOffers(String header) {
    this.header = header;
  }

  /** All offers of one header line, in the client's order. */
  static List<Offer> parse(String header) throws MalformedException {
    return new ExtensionOffers(header).offers();
  }

  private List<Offer> offers() throws MalformedException {
    List<Offer> offers = new ArrayList<>();
    skipSpace();
    while (at < header.length()) {
      // An element of a list may be empty (RFC 9110, section 5.6.1.2).
      if (!take(',')) {
        offers.add(offer());
        if (at < header.length() && header.charAt(at) != ',') {
          throw unexpected();
        }
      }
    }
    return offers;
  }

  private Offer offer() throws MalformedException {
    String name = token();
    List<Parameter> parameters = new ArrayList<>();
    while (take(';')) {
      String parameter = token();
      parameters.add(new Parameter(parameter, take('=') ? value() : null));
    }
    return new Offer(name, parameters);
  }

  private String value() throws MalformedException {
    if (at < header.length() && header.charAt(at) == '"') {
      at++;
      return quoted();
    }
    return token();
  }

  private String quoted() throws MalformedException {
    StringBuilder value = new StringBuilder();
    while (at < header.length() && header.charAt(at) != '"') {
      if (header.charAt(at) == '\\') {
        at++;
      }
      // What the quotes hold must be a token as well.
      if (at == header.length() || !isTokenCharacter(header.charAt(at))) {
        throw unexpected();
      }
      value.append(header.charAt(at++));
    }
    if (value.isEmpty() || !take('"')) {
      throw unexpected();
    }
    return value.toString();
  }

  private String token() throws MalformedException {
    int start = at;
    while (at < header.length() && isTokenCharacter(header.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw unexpected();
    }
    String token = header.substring(start, at);
    skipSpace();
    return token;
  }

  private boolean take(char expected) {
    if (at == header.length() || header.charAt(at) != expected) {
      return false;
    }
    at++;
    skipSpace();
    return true;
  }

  private void skipSpace() {
    while (at < header.length() && (header.charAt(at) == ' ' || header.charAt(at) == '\t')) {
      at++;
    }
  }

  private MalformedException unexpected() {
    return new MalformedException("Sec-WebSocket-Extensions is malformed at character " + (at + 1));
  }

  /** Whether a character may be in a token of HTTP (RFC 9110, section 5.6.2). */
  static boolean isTokenCharacter(char c) {
    boolean alphanumeric = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    return alphanumeric || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
  }
}
