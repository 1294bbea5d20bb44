package io.sluice.loadtest;

/**
 * Parser of the gateway's text frames that reads only their first members. Stateless, for any
 * thread.
 */
final class ControlFrame {
  private static final String START = "{\"type\":\"";
  private static final String TOPIC = "\"topic\":\"";

  private ControlFrame() {}

  /**
   * Returns whether a frame has a type. The gateway writes the type first, so the payload is not
   * searched.
   */
  static boolean isOfType(String frame, String type) {
    return frame.startsWith(START)
        && frame.startsWith(type, START.length())
        && frame.startsWith("\"", START.length() + type.length());
  }

  /** Returns the frame's topic, which must not contain escapes, or an empty string. */
  static String topic(String frame) {
    int start = frame.indexOf(TOPIC) + TOPIC.length();
    int end = frame.indexOf('"', start);
    return start < TOPIC.length() || end < 0 ? "" : frame.substring(start, end);
  }
}
