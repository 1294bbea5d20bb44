package io.sluice.gateway.http;

import io.sluice.gateway.handshake.Origins;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.protocol.Encoding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Rules for the headers of requests to {@code /stream}: docs/PROTOCOL.md, section 10. Immutable,
 * for any thread.
 */
final class StreamRules {
  /** Result of {@link #check}. */
  public sealed interface Result permits Accepted, Preflight, Refused {
    /** Returns the CORS headers, which an error response needs as well. */
    Map<String, String> cors();
  }

  /** Refusal of the request. */
  public record Refused(Refusal refusal, Map<String, String> cors) implements Result {}

  /**
   * Acceptance of the request; its body is to be read.
   *
   * @param headers all headers of the stream, to be sent with status 200
   * @param cors those of them that an error response needs as well
   */
  public record Accepted(Encoding encoding, Map<String, String> headers, Map<String, String> cors)
      implements Result {}

  /**
   * CORS preflight of a browser; its response has no body.
   *
   * @param headers all headers of the response, to be sent with status 204
   * @param cors those of them that an error response needs as well
   */
  record Preflight(Map<String, String> headers, Map<String, String> cors) implements Result {}

  /** The body ends with the connection. Proxies must not buffer, store or transform it. */
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
   * @param maxBodyBytes maximum length of a request's body
   */
  StreamRules(Origins origins, int maxBodyBytes) {
    this.origins = origins;
    this.maxBodyBytes = maxBodyBytes;
  }

  /**
   * Checks a request.
   *
   * @param query of the URL, or null
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
      return new Refused(Refusal.bad("no such protocol; supported: " + supported()), cors);
    }
    if (contentLength.stream().anyMatch(this::isTooLong)) {
      return new Refused(Refusal.tooLong(maxBodyBytes), cors);
    }
    return new Accepted(encoding, joined(STREAM, cors), cors);
  }

  /** Returns the encoding named in the query, JSON by default; null if the name is unknown. */
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

  private static String supported() {
    return Encoding.BINARY_SUBPROTOCOL + ", " + Encoding.JSON_SUBPROTOCOL;
  }

  // The HTTP decoder has checked that it consists of digits.
  private boolean isTooLong(String contentLength) {
    String digits = contentLength.strip();
    return digits.length() > 18 || Long.parseLong(digits) > maxBodyBytes;
  }

  // Pages may read the response and Retry-After. For a listed origin, the browser may send cookies
  // and tickets.
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
