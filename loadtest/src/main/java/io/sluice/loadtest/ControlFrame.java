package io.sluice.loadtest;

/** How text frames of the gateway are told apart without reading them whole. */
final class ControlFrame {
  private static final String START = "{\"type\":\"";
  private static final String TOPIC = "\"topic\":\"";

  private ControlFrame() {}

  /** The gateway writes the type first, so the payload is not searched. */
  static boolean isOfType(String frame, String type) {
    return frame.startsWith(START)
        && frame.startsWith(type, START.length())
        && frame.startsWith("\"", START.length() + type.length());
  }

  /** The topic that it names, if it needs no escapes; empty if it names none. */
  static String topic(String frame) {
    int start = frame.indexOf(TOPIC) + TOPIC.length();
    int end = frame.indexOf('"', start);
    return start < TOPIC.length() || end < 0 ? "" : frame.substring(start, end);
  }
}
