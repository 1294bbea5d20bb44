package io.sluice.gateway.http;

import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Refusal;
import io.sluice.gateway.websocket.Origins;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Which requests to {@code /stream} are answered with a stream, as far as their headers tell:
 * docs/PROTOCOL.md, section 10. Immutable; any thread may call it.
 */
final class StreamRules {
  /** What the client gets for an answer. */
  public sealed interface Result permits Accepted, Preflight, Refused {
    /** Returns the headers that an answer with an error must have, too. */
    Map<String, String> cors();
  }

  /** The request is answered with an error. */
  public record Refused(Refusal refusal, Map<String, String> cors) implements Result {}

  /**
   * The request's body is wanted.
   *
   * @param headers all of the stream's, to be sent with status 200
   * @param cors those of them that an error must have, too
   */
  public record Accepted(Encoding encoding, Map<String, String> headers, Map<String, String> cors)
      implements Result {}

  /**
   * A browser asks whether a page may make its request; the answer has no body.
   *
   * @param headers all of the answer's, to be sent with status 204
   * @param cors those of them that an error must have, too
   */
  record Preflight(Map<String, String> headers, Map<String, String> cors) implements Result {}

  /** The body ends with the connection, and nobody on the way may keep it back or change it. */
  private static final Map<String, String> STREAM =
      Map.of(
          "Content-Type", "application/octet-stream",
          "Cache-Control", "no-store, no-transform",
          "X-Accel-Buffering", "no",
          "X-Content-Type-Options", "nosniff",
          "Connection", "close");

  private static final Map<String, String> PREFLIGHT =
      Map.of(
          "Access-Control-Allow-Methods", "POST",
          "Access-Control-Allow-Headers", "content-type",
          "Access-Control-Max-Age", "86400");

  private static final String PROTOCOL = "protocol=";

  private final Origins origins;
  private final int maxBodyBytes;

  /**
   * @param origins check of the origins of browsers
   * @param maxBodyBytes most that a request may have
   */
  StreamRules(Origins origins, int maxBodyBytes) {
    this.origins = origins;
    this.maxBodyBytes = maxBodyBytes;
  }

  /**
   * @param query what follows the path's question mark, or null
   * @param headers the values of all lines of a header, by its name in any case; empty if it is
   *     absent
   */
  Result check(String method, String query, Function<String, List<String>> headers) {
    if (!origins.allow(headers)) {
      return new Refused(Refusal.origin(), Map.of());
    }
    Map<String, String> cors = cors(headers.apply("Origin"));
    return switch (method) {
      case "POST" -> check(query, headers.apply("Content-Length"), cors);
      case "OPTIONS" -> new Preflight(joined(PREFLIGHT, cors), cors);
      default -> new Refused(Refusal.method("the method is not POST", "POST, OPTIONS"), cors);
    };
  }

  private Result check(String query, List<String> contentLength, Map<String, String> cors) {
    Encoding encoding = encoding(query);
    if (encoding == null) {
      return new Refused(Refusal.bad("no such protocol; known here: " + known()), cors);
    }
    if (contentLength.stream().anyMatch(this::isTooLong)) {
      return new Refused(Refusal.tooLong(maxBodyBytes), cors);
    }
    return new Accepted(encoding, joined(STREAM, cors), cors);
  }

  /** The one that the query names, or null if it names none that is known. */
  private static Encoding encoding(String query) {
    Encoding named = Encoding.JSON;
    for (String parameter : query == null ? new String[0] : query.split("&")) {
      if (parameter.startsWith(PROTOCOL)) {
        named =
            switch (parameter.substring(PROTOCOL.length())) {
              case Encoding.JSON_SUBPROTOCOL -> Encoding.JSON;
              case Encoding.BINARY_SUBPROTOCOL -> Encoding.BINARY;
              default -> null;
            };
      }
    }
    return named;
  }

  private static String known() {
    return Encoding.BINARY_SUBPROTOCOL + ", " + Encoding.JSON_SUBPROTOCOL;
  }

  // HTTP has found it to be digits.
  private boolean isTooLong(String contentLength) {
    String digits = contentLength.strip();
    return digits.length() > 18 || Long.parseLong(digits) > maxBodyBytes;
  }

  // A page may read the answer, and when to come back. That of a listed origin may have the browser
  // send cookies and tickets.
  private Map<String, String> cors(List<String> origin) {
    if (origin.isEmpty()) {
      return Map.of();
    }
    Map<String, String> cors = new LinkedHashMap<>();
    cors.put("Access-Control-Allow-Origin", origin.get(0).strip());
    cors.put("Access-Control-Expose-Headers", "Retry-After");
    cors.put("Vary", "Origin");
    if (origins.isNamed(origin.get(0))) {
      cors.put("Access-Control-Allow-Credentials", "true");
    }
    return cors;
  }

  private static Map<String, String> joined(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(some);
    all.putAll(more);
    return all;
  }
}
