package io.sluice.gateway.stomp;

/** Versions of STOMP, oldest first. */
enum StompVersion {
  V1_0("1.0"),
  V1_1("1.1"),
  V1_2("1.2");

  /** Text of all versions, for the error of a failed negotiation. */
  static final String ALL = "1.0,1.1,1.2";

  private final String text;

  StompVersion(String text) {
    this.text = text;
  }

  /** Returns the version as in headers, such as {@code 1.2}. */
  String text() {
    return text;
  }

  /** Returns the WebSocket subprotocol, such as {@code v12.stomp}. */
  String subprotocol() {
    return "v" + text.charAt(0) + text.charAt(2) + ".stomp";
  }

  /**
   * Returns the newest version that the client accepts, or null.
   *
   * @param accepted the header {@code accept-version}, or null for clients of version 1.0
   */
  static StompVersion negotiate(String accepted) {
    if (accepted == null) {
      return V1_0;
    }
    StompVersion newest = null;
    for (String each : accepted.split(",", -1)) {
      for (StompVersion version : values()) {
        boolean isNewer = newest == null || version.compareTo(newest) > 0;
        if (isNewer && version.text.equals(each.strip())) {
          newest = version;
        }
      }
    }
    return newest;
  }

  /** Returns whether the version has escape sequences in headers. */
  boolean escapes() {
    return this != V1_0;
  }
}
