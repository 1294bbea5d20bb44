package io.sluice.gateway.handshake;

import io.sluice.gateway.protocol.value.JsonText;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * HTTP error response to a request that is not admitted: docs/PROTOCOL.md, section 1. Immutable,
 * for any thread.
 *
 * @param status HTTP status code
 * @param code stable code of the reason
 * @param text one line with the reason
 * @param headers required by the status
 */
public record Refusal(int status, String code, String text, Map<String, String> headers) {
  /** Headers of the body, which is JSON. */
  public static final Map<String, String> BODY_HEADERS =
      Map.of(
          "Content-Type", "application/json",
          "Cache-Control", "no-store",
          "X-Content-Type-Options", "nosniff");

  /** Headers that permit pages of any origin to read the response. */
  public static final Map<String, String> READABLE =
      Map.of(
          "Access-Control-Allow-Origin", "*",
          "Access-Control-Expose-Headers", "Retry-After");

  /** Headers of a response to a client that may succeed later. */
  private static final Map<String, String> LATER = Map.of("Retry-After", "5");

  private Refusal(int status, String code, String text) {
    this(status, code, text, Map.of());
  }

  /** Returns the response to an invalid request. */
  public static Refusal bad(String text) {
    return new Refusal(400, "bad-request", text);
  }

  /** Returns the response to a client that uses no TLS at a port that requires it. */
  public static Refusal withoutTls() {
    return new Refusal(400, "tls-required", "this port requires TLS: use wss: or https:");
  }

  /** Returns the response to a proxy that sends no header of the PROXY protocol. */
  public static Refusal withoutProxyHeader() {
    return new Refusal(400, "proxy-protocol", "this port requires a header of the PROXY protocol");
  }

  /** Returns the challenge for a Kerberos ticket: RFC 4559. */
  public static Refusal unauthorized() {
    return new Refusal(
        401,
        "ticket-required",
        "a Kerberos ticket is required",
        Map.of("WWW-Authenticate", "Negotiate"));
  }

  /**
   * Returns whether this is a challenge, which the client's next request may answer with a
   * credential.
   */
  public boolean isChallenge() {
    return status == 401;
  }

  /** Returns the response to a request that is not for this client. */
  public static Refusal forbidden(String text) {
    return new Refusal(403, "forbidden", text);
  }

  /** Returns the response to a page whose origin is not on the list. */
  public static Refusal origin() {
    return new Refusal(
        403, "origin", "the origin is not allowed: it is not in server.allowed-origins");
  }

  /** Returns whether this is the response of {@link #origin}. */
  public boolean isOfOrigin() {
    return code.equals("origin");
  }

  /** Returns the response to a path without content. */
  public static Refusal notFound(String text) {
    return new Refusal(404, "not-found", text);
  }

  /** Returns the response to a method that the endpoint does not support. */
  public static Refusal method(String text, String allowed) {
    return new Refusal(405, "bad-method", text, Map.of("Allow", allowed));
  }

  /** Returns the response to a request that is not complete in time. */
  public static Refusal timeout() {
    return new Refusal(408, "timeout", "the request was not complete in time");
  }

  /** Returns the response to a request body that exceeds the limit. */
  public static Refusal tooLong(long maxBytes) {
    return new Refusal(413, "body-too-large", "the body is longer than " + maxBytes + " bytes");
  }

  /**
   * Returns the response to a request line that exceeds the limit.
   *
   * @param key of the limit's setting
   */
  public static Refusal lineTooLong(String key, long maxBytes) {
    return new Refusal(414, "uri-too-long", "the request line exceeds " + limit(key, maxBytes));
  }

  /** Returns the response to another version of the WebSocket protocol. */
  public static Refusal version(String supported) {
    return new Refusal(
        426,
        "bad-version",
        "only WebSocket version " + supported + " is supported",
        Map.of("Sec-WebSocket-Version", supported, "Upgrade", "websocket"));
  }

  /**
   * Returns the response to headers that exceed the limit.
   *
   * @param key of the limit's setting
   */
  public static Refusal headersTooLarge(String key, long maxBytes) {
    return new Refusal(
        431, "headers-too-large", "the headers, including cookies, exceed " + limit(key, maxBytes));
  }

  private static String limit(String key, long maxBytes) {
    return key + " (" + maxBytes + " bytes)";
  }

  /**
   * Returns the response to a client that exceeds a rate limit or quota, possibly shared by its
   * address.
   */
  public static Refusal tooMany(String text) {
    return new Refusal(429, "too-many", text, LATER);
  }

  /** Returns the response to a failure of the node. */
  public static Refusal internal(String text) {
    return new Refusal(500, "internal", text);
  }

  /** Returns the response of a node that serves no clients now; another node may. */
  public static Refusal unavailable(String code, String text) {
    return new Refusal(503, code, text, LATER);
  }

  /** Returns this response with additional headers. */
  public Refusal with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.putAll(more);
    return new Refusal(status, code, text, all);
  }

  /** Returns the body: one line with the JSON of an error, without a reference. */
  public String body() {
    return "{"
        + member("type", "error")
        + ","
        + member("code", code)
        + ","
        + member("message", text)
        + "}\n";
  }

  private static String member(String name, String value) {
    return JsonText.quoted(name) + ":" + JsonText.quoted(value);
  }
}
