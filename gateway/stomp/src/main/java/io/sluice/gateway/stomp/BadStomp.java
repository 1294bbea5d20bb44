package io.sluice.gateway.stomp;

/** Frame that cannot be accepted. The message is sent to the client in an ERROR. */
final class BadStomp extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int MAX_QUOTED = 100;

  BadStomp(String message) {
    super(message, null, false, false);
  }

  /** Returns the problem of a header's value. */
  static BadStomp header(String name, String value, String why) {
    return new BadStomp(
        "header \"" + shortened(name) + "\" is \"" + shortened(value) + "\"; it " + why);
  }

  /** Returns a text of the client in a length that an error can contain. */
  static String shortened(String text) {
    return text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "…";
  }
}
