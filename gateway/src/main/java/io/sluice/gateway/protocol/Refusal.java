package io.sluice.gateway.protocol;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * HTTP error response to a request that is not admitted. Immutable.
 *
 * @param status of HTTP
 * @param text one line that says why
 * @param headers those that the status calls for
 */
public record Refusal(int status, String text, Map<String, String> headers) {
  /** The request is wrong. */
  public static Refusal bad(String text) {
    return new Refusal(400, text, Map.of());
  }

  /** The client is to show a Kerberos ticket: RFC 4559. */
  public static Refusal unauthorized() {
    return new Refusal(401, "a Kerberos ticket is needed", Map.of("WWW-Authenticate", "Negotiate"));
  }

  /** Whether it only asks for a credential, which the client's next request may show. */
  public boolean isQuestion() {
    return status == 401;
  }

  /** The request's method is another one than those of the endpoint. */
  public static Refusal method(String text, String allowed) {
    return new Refusal(405, text, Map.of("Allow", allowed));
  }

  /** The page's origin is not on the list. */
  public static Refusal origin() {
    return new Refusal(403, "the origin is not allowed", Map.of());
  }

  /** The request is longer than it may be. */
  public static Refusal tooLong(long maxBytes) {
    return new Refusal(413, "the body is longer than " + maxBytes + " bytes", Map.of());
  }

  /** One client, or what it shares its address with, wants too much at once. */
  public static Refusal tooMany(String text) {
    return new Refusal(429, text, Map.of("Retry-After", "5"));
  }

  /** Not here and now, but another node may take the client at once. */
  public static Refusal unavailable(String text) {
    return new Refusal(503, text, Map.of("Retry-After", "5"));
  }

  /** The same with further headers. */
  public Refusal with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.putAll(more);
    return new Refusal(status, text, all);
  }
}
