package io.sluice.gateway.websocket;

/** Status codes of a client's close frame: RFC 6455, section 7.4. Stateless, for any thread. */
public final class CloseStatus {
  /** Status of a close frame without a code; never on the wire. */
  public static final int NONE = 1005;

  private CloseStatus() {}

  /** Returns whether a close frame may have a code: registered with IANA, or 3000 to 4999. */
  static boolean isValid(int code) {
    return switch (code) {
      case 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014 -> true;
      default -> code >= 3000 && code <= 4999;
    };
  }
}
