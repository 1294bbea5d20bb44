package io.sluice.gateway.streams.route;

import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.websocket.CloseCode;
import java.util.Map;

/**
 * HTTP statuses of the session's errors: docs/PROTOCOL.md, section 6. Stateless, for any thread.
 */
public final class StatusCodes {
  private static final Map<String, String> LATER = Map.of("Retry-After", "1");

  private StatusCodes() {}

  /** Returns the response to a request that the session refuses. */
  public static Refusal refusal(String code, String message) {
    return refusal(of(code), code, message);
  }

  /** Returns the response to a request whose session ends with a close code. */
  public static Refusal ofEnd(int closeCode) {
    String word = CloseCode.word(closeCode);
    return refusal(ofWord(word), word, "the session has ended: " + word.replace('-', ' '));
  }

  private static int ofWord(String word) {
    return switch (word) {
      case "unauthorized", "expired" -> 401;
      case "revoked" -> 403;
      case "too-big" -> 413;
      case "too-many-connections", "too-fast" -> 429;
      case "internal-error" -> 500;
      default -> 503;
    };
  }

  /** Returns the response with a status, and the headers that it requires. */
  public static Refusal refusal(int status, String code, String message) {
    Map<String, String> headers =
        switch (status) {
          case 401 -> Map.of("WWW-Authenticate", "Bearer");
          case 429, 503 -> LATER;
          default -> Map.of();
        };
    return new Refusal(status, code, message, headers);
  }

  /** Returns the status of an error code. An unknown one is an error of the request. */
  static int of(String code) {
    return switch (code) {
      case "unauthorized" -> 401;
      case "forbidden" -> 403;
      case "unknown-topic", "unknown-queue" -> 404;
      case "rate-limited", "too-many-subscriptions", "too-many-requests" -> 429;
      case "internal" -> 500;
      case "unsupported" -> 501;
      case "publish-failed" -> 502;
      case "too-many-topics", "broker-unavailable" -> 503;
      case "timeout" -> 504;
      default -> 400;
    };
  }
}
