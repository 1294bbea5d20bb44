package io.sluice.gateway.websocket;

import java.util.OptionalInt;
import java.util.stream.Stream;

/** WebSocket close codes that a node sends: docs/PROTOCOL.md, section 7. */
public enum CloseCode {
  NORMAL(1000, "normal"),
  GOING_AWAY(1001, "going away"),
  PROTOCOL_ERROR(1002, "protocol error"),
  UNSUPPORTED(1003, "unsupported"),
  INVALID_DATA(1007, "invalid data"),
  TOO_BIG(1009, "too big"),
  INTERNAL_ERROR(1011, "internal error"),
  OVERLOADED(1013, "overloaded"),
  SLOW_CONSUMER(4000, "slow consumer"),
  IDLE(4001, "idle"),
  NOT_VERIFIED(4002, "not verified"),
  TOO_MANY_CONNECTIONS(4003, "too many connections"),
  DISCONNECTED(4004, "disconnected"),
  NOT_OPENED(4005, "not opened"),
  DRAINING(4100, "draining"),
  RENEW(4101, "renew"),
  REDIRECTED(4101, "redirected"),
  UNAUTHORIZED(4200, "unauthorized"),
  EXPIRED(4201, "expired"),
  TOO_MANY_ERRORS(4203, "too many errors"),
  REVOKED(4204, "revoked"),
  TOO_FAST(4205, "too fast");

  private final int code;
  private final String reason;

  CloseCode(int code, String reason) {
    this.code = code;
    this.reason = reason;
  }

  /** Returns the number on the wire. */
  public int code() {
    return code;
  }

  /**
   * Returns the word of a number in logs, such as {@code slow-consumer}; the number itself for
   * others.
   */
  public static String word(int code) {
    return Stream.of(values())
        .filter(each -> each.code == code)
        .findFirst()
        .map(each -> each.reason.replace(' ', '-'))
        .orElse(Integer.toString(code));
  }

  /** Returns the number of a {@link #word} such as {@code slow-consumer}; empty for other words. */
  public static OptionalInt number(String word) {
    return Stream.of(values())
        .filter(each -> word(each.code).equals(word))
        .mapToInt(each -> each.code)
        .findFirst();
  }

  /** Returns a short human-readable text, sent as the close reason. */
  public String reason() {
    return reason;
  }
}
