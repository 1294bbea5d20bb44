package io.sluice.gateway.handshake;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.gateway.handshake.ExtensionOffers.MalformedException;
import io.sluice.gateway.handshake.ExtensionOffers.Offer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Rules of one endpoint for the opening handshake: RFC 6455, section 4.2, and docs/PROTOCOL.md,
 * section 1. Immutable, for any thread.
 *
 * <p>The checks are loops without streams, which a new process would have to interpret and compile.
 */
public final class HandshakeRules {
  /** Result of {@link #check}. */
  public sealed interface Result permits Accepted, Refused {}

  /** Refusal of the handshake. */
  public record Refused(Refusal refusal) implements Result {}

  /**
   * Acceptance of the handshake. The connection is a WebSocket after the response with status 101.
   *
   * @param headers all headers of the response
   * @param subprotocol null if none was selected
   * @param deflate whether permessage-deflate was agreed, without context takeover of the client
   * @param takeover whether it was agreed with context takeover of the server
   */
  public record Accepted(
      Map<String, String> headers, String subprotocol, boolean deflate, boolean takeover)
      implements Result {}

  /** Prefix of the subprotocol by which a browser sends its token; never selected. */
  public static final String CREDENTIAL_SUBPROTOCOL = "sluice.bearer.";

  private static final String VERSION = "13";
  private static final int KEY_BYTES = 16;
  private static final int KEY_CHARACTERS = 24;
  private static final String KEY_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private final List<String> subprotocols;
  private final Origins origins;
  private final boolean compression;

  /**
   * @param subprotocols supported by the endpoint; if empty, the client's offers are ignored
   * @param origins check of the origins of browsers
   * @param compression whether permessage-deflate is accepted
   */
  public HandshakeRules(List<String> subprotocols, Origins origins, boolean compression) {
    this.subprotocols = List.copyOf(subprotocols);
    this.origins = origins;
    this.compression = compression;
  }

  /**
   * Checks a handshake request.
   *
   * @param version as in the request line, such as {@code HTTP/1.1}
   * @param headers the values of all lines of a header, by its name in any case; empty if it is
   *     absent
   */
  public Result check(String method, String version, Function<String, List<String>> headers) {
    if (!method.equals("GET")) {
      return new Refused(Refusal.method("the method is not GET", "GET"));
    }
    // First, so that a page can find out by a plain request that its origin is refused.
    Refusal refusal = origins.allow(headers) ? checkUpgrade(version, headers) : Refusal.origin();
    if (refusal == null) {
      refusal = checkVersionAndKey(headers);
    }
    return refusal == null ? negotiate(headers) : new Refused(refusal);
  }

  private static Refusal checkUpgrade(String version, Function<String, List<String>> headers) {
    if (!version.equals("HTTP/1.1")) {
      return Refusal.bad("a WebSocket handshake needs HTTP/1.1, this is " + version);
    }
    if (headers.apply("Host").size() != 1) {
      return Refusal.bad("there must be one Host header");
    }
    if (!hasElement(headers.apply("Upgrade"), "websocket")) {
      return Refusal.bad("the Upgrade header does not name websocket");
    }
    return hasElement(headers.apply("Connection"), "upgrade")
        ? null
        : Refusal.bad("the Connection header does not name Upgrade");
  }

  private static Refusal checkVersionAndKey(Function<String, List<String>> headers) {
    List<String> versions = headers.apply("Sec-WebSocket-Version");
    if (versions.isEmpty()) {
      return Refusal.bad("the Sec-WebSocket-Version header is missing");
    }
    if (versions.size() > 1 || !versions.get(0).strip().equals(VERSION)) {
      return Refusal.version(VERSION);
    }
    List<String> keys = headers.apply("Sec-WebSocket-Key");
    return keys.size() == 1 && isKey(keys.get(0).strip())
        ? null
        : Refusal.bad("there must be one Sec-WebSocket-Key of 16 bytes in base64");
  }

  private static boolean isKey(String key) {
    try {
      return key.length() == KEY_CHARACTERS
          && Base64.getDecoder().decode(key.getBytes(US_ASCII)).length == KEY_BYTES;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private Result negotiate(Function<String, List<String>> headers) {
    List<String> offered = elements(headers.apply("Sec-WebSocket-Protocol"));
    for (String element : offered) {
      if (!isToken(element)) {
        return new Refused(Refusal.bad("Sec-WebSocket-Protocol is malformed"));
      }
    }
    String subprotocol = null;
    offered.removeIf(element -> element.startsWith(CREDENTIAL_SUBPROTOCOL));
    if (!subprotocols.isEmpty() && !offered.isEmpty()) {
      subprotocol = firstSupported(offered);
      if (subprotocol == null) {
        return new Refused(
            Refusal.bad("no subprotocol in common; supported: " + String.join(", ", subprotocols)));
      }
    }
    try {
      return accept(headers, subprotocol, agreeOnDeflate(headers));
    } catch (MalformedException e) {
      return new Refused(Refusal.bad(e.getMessage()));
    }
  }

  private String firstSupported(List<String> offered) {
    for (String element : offered) {
      if (subprotocols.contains(element)) {
        return element;
      }
    }
    return null;
  }

  private DeflateOffer.Agreement agreeOnDeflate(Function<String, List<String>> headers)
      throws MalformedException {
    List<Offer> offers = new ArrayList<>();
    for (String line : headers.apply("Sec-WebSocket-Extensions")) {
      offers.addAll(ExtensionOffers.parse(line));
    }
    return compression ? DeflateOffer.agree(offers) : null;
  }

  private static Accepted accept(
      Function<String, List<String>> headers, String subprotocol, DeflateOffer.Agreement deflate) {
    Map<String, String> response = new LinkedHashMap<>();
    response.put("Upgrade", "websocket");
    response.put("Connection", "Upgrade");
    response.put(
        "Sec-WebSocket-Accept", acceptKey(headers.apply("Sec-WebSocket-Key").get(0).strip()));
    if (subprotocol != null) {
      response.put("Sec-WebSocket-Protocol", subprotocol);
    }
    if (deflate != null) {
      response.put("Sec-WebSocket-Extensions", deflate.response());
    }
    boolean takeover = deflate != null && deflate.takeover();
    return new Accepted(response, subprotocol, deflate != null, takeover);
  }

  private static String acceptKey(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1").digest((key + KEY_SUFFIX).getBytes(US_ASCII));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  private static boolean hasElement(List<String> lines, String lowerCase) {
    for (String element : elements(lines)) {
      if (element.toLowerCase(Locale.ROOT).equals(lowerCase)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the elements of a list header. Empty ones are ignored (RFC 9110, 5.6.1.2). */
  private static List<String> elements(List<String> lines) {
    List<String> elements = new ArrayList<>();
    for (String line : lines) {
      for (String element : line.split(",", -1)) {
        if (!element.isBlank()) {
          elements.add(element.strip());
        }
      }
    }
    return elements;
  }

  private static boolean isToken(String element) {
    for (int i = 0; i < element.length(); i++) {
      if (!ExtensionOffers.isTokenCharacter(element.charAt(i))) {
        return false;
      }
    }
    return true;
  }
}
