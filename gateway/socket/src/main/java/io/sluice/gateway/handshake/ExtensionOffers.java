package io.sluice.gateway.handshake;

import java.util.ArrayList;
import java.util.List;

/**
 * Parser of Sec-WebSocket-Extensions by the grammar of RFC 6455, section 9.1. Used once, by one
 * thread.
 *
 * <pre>
 * extension-list = 1#extension
 * extension      = token *( ";" extension-param )
 * extension-param = token [ "=" (token | quoted-string) ]
 * </pre>
 */
final class ExtensionOffers {
  /**
   * One extension offered by the client.
   *
   * @param parameters in the client's order, repeated ones included
   */
  record Offer(String name, List<Parameter> parameters) {}

  /**
   * Parameter of an extension.
   *
   * @param value null if there is none; without quotes
   */
  record Parameter(String name, String value) {}

  /** Thrown if the header violates the grammar. */
  static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
      super(message, null, false, false);
    }
  }

  private final String header;
  private int index;

  private ExtensionOffers(String header) {
    this.header = header;
  }

  /** Returns all offers of one header line, in the client's order. */
  static List<Offer> parse(String header) throws MalformedException {
    return new ExtensionOffers(header).offers();
  }

  private List<Offer> offers() throws MalformedException {
    List<Offer> offers = new ArrayList<>();
    skipSpace();
    while (index < header.length()) {
      // An element of a list may be empty (RFC 9110, section 5.6.1.2).
      if (!take(',')) {
        offers.add(offer());
        if (index < header.length() && header.charAt(index) != ',') {
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
    if (index < header.length() && header.charAt(index) == '"') {
      index++;
      return quoted();
    }
    return token();
  }

  private String quoted() throws MalformedException {
    StringBuilder value = new StringBuilder();
    while (index < header.length() && header.charAt(index) != '"') {
      if (header.charAt(index) == '\\') {
        index++;
      }
      // A quoted value must be a token as well.
      if (index == header.length() || !isTokenCharacter(header.charAt(index))) {
        throw unexpected();
      }
      value.append(header.charAt(index++));
    }
    if (value.isEmpty() || !take('"')) {
      throw unexpected();
    }
    return value.toString();
  }

  private String token() throws MalformedException {
    int start = index;
    while (index < header.length() && isTokenCharacter(header.charAt(index))) {
      index++;
    }
    if (index == start) {
      throw unexpected();
    }
    String token = header.substring(start, index);
    skipSpace();
    return token;
  }

  private boolean take(char expected) {
    if (index == header.length() || header.charAt(index) != expected) {
      return false;
    }
    index++;
    skipSpace();
    return true;
  }

  private void skipSpace() {
    while (index < header.length()
        && (header.charAt(index) == ' ' || header.charAt(index) == '\t')) {
      index++;
    }
  }

  private MalformedException unexpected() {
    return new MalformedException(
        "Sec-WebSocket-Extensions is malformed at character " + (index + 1));
  }

  /** Returns whether a character may be in a token of HTTP (RFC 9110, section 5.6.2). */
  static boolean isTokenCharacter(char c) {
    boolean alphanumeric = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    return alphanumeric || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
  }
}
