package io.sluice.gateway.streams.read;

import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.streams.route.StatusCodes;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Response to a read or a publish. Immutable, for any thread.
 *
 * @param headers all headers but those of CORS
 * @param body empty if there is none; not to be modified
 */
record HttpAnswer(int status, Map<String, String> headers, Buffer body) {
  private static final Buffer NO_BODY = Buffer.buffer();

  /** Headers of every response: browsers neither guess its type nor embed it in other sites. */
  static final Map<String, String> SECURITY =
      Map.of(
          "X-Content-Type-Options", "nosniff",
          "Cross-Origin-Resource-Policy", "same-origin");

  /** Returns a response without a body, that no cache stores. */
  static HttpAnswer empty(int status, Map<String, String> headers) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Cache-Control", "no-store");
    return of(status, all, NO_BODY);
  }

  /** Returns the response for an {@code error} frame of a session. */
  static HttpAnswer error(JsonObject frame) {
    JsonObject body = frame.copy();
    body.remove("ref");
    Refusal refusal = StatusCodes.refusal(frame.getString("code"), frame.getString("message"));
    return error(refusal.status(), refusal.headers(), body);
  }

  /** Returns the response for a session that has ended before its answer. */
  static HttpAnswer error(CloseCode code) {
    return error(StatusCodes.ofEnd(code.code()));
  }

  static HttpAnswer error(Refusal refusal) {
    return error(refusal.status(), refusal.headers(), new JsonObject(refusal.body()));
  }

  /** Returns an error. */
  static HttpAnswer error(int status, String code, String message) {
    return error(StatusCodes.refusal(status, code, message));
  }

  private static HttpAnswer error(int status, Map<String, String> headers, JsonObject body) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Content-Type", "application/json");
    all.put("Cache-Control", "no-store");
    return of(status, all, Buffer.buffer(body.encode() + "\n"));
  }

  static HttpAnswer of(int status, Map<String, String> headers, Buffer body) {
    Map<String, String> all = new LinkedHashMap<>(SECURITY);
    all.putAll(headers);
    return new HttpAnswer(status, all, body);
  }
}
