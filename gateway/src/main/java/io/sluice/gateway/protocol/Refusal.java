package io.sluice.gateway.protocol;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * HTTP error response to a request that is not admitted. Immutable, for any thread.
 *
 * @param status HTTP status code
 * @param text one line with the reason
 * @param headers required by the status
 */
public record Refusal(int status, String text, Map<String, String> headers) {
  /** Returns the response to an invalid request. */
  public static Refusal bad(String text) {
    return new Refusal(400, text, Map.of());
  }

  /** Returns the challenge for a Kerberos ticket: RFC 4559. */
  public static Refusal unauthorized() {
    return new Refusal(
        401, "a Kerberos ticket is required", Map.of("WWW-Authenticate", "Negotiate"));
  }

  /**
   * Returns whether this is a challenge, which the client's next request may answer with a
   * credential.
   */
  public boolean isChallenge() {
    return status == 401;
  }

  /** Returns the response to a method that the endpoint does not support. */
  public static Refusal method(String text, String allowed) {
    return new Refusal(405, text, Map.of("Allow", allowed));
  }

  /** Returns the response to a page whose origin is not on the list. */
  public static Refusal origin() {
    return new Refusal(403, "the origin is not allowed", Map.of());
  }

  /** Returns whether this is the response of {@link #origin}. */
  public boolean isOfOrigin() {
    return status == 403;
  }

  /** Returns the response to a request body that exceeds the limit. */
  public static Refusal tooLong(long maxBytes) {
    return new Refusal(413, "the body is longer than " + maxBytes + " bytes", Map.of());
  }

  /**
   * Returns the response to a client that exceeds a rate limit or quota, possibly shared by its
   * address.
   */
  public static Refusal tooMany(String text) {
    return new Refusal(429, text, Map.of("Retry-After", "5"));
  }

  /** Returns the response of a node that cannot serve the client now; another node may. */
  public static Refusal unavailable(String text) {
    return new Refusal(503, text, Map.of("Retry-After", "5"));
  }

  /** Returns this response with additional headers. */
  public Refusal with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.putAll(more);
    return new Refusal(status, text, all);
  }
}
