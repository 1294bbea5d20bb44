package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;

/** Head of an HTTP response. Bound to its client's event loop. */
final class HandshakeResponse {
  private static final String END = "\r\n\r\n";
  private static final int MAX_HEAD = 8 * 1024;
  private static final int MAX_REASON = 120;

  private final StringBuilder head = new StringBuilder();
  private boolean complete;

  /**
   * Reads the head but not the body.
   *
   * @return whether the head is complete or longer than allowed
   */
  boolean read(ByteBuf in) {
    while (in.isReadable() && !complete) {
      head.append((char) in.readUnsignedByte());
      complete = head.length() == MAX_HEAD || endsWith(END);
    }
    return complete;
  }

  private boolean endsWith(String end) {
    int start = head.length() - end.length();
    return start >= 0 && head.indexOf(end, start) == start;
  }

  /**
   * Returns the fault of a response without the expected status code, or null.
   *
   * @param body bytes after the head, which may contain the reason
   */
  String faultOfStatus(String expected, ByteBuf body) {
    String first = lines()[0];
    String[] status = first.split(" ", 3);
    if (status.length < 2 || !status[0].startsWith("HTTP/1.")) {
      return "the handshake response is not HTTP: " + shortened(first);
    }
    return status[1].equals(expected)
        ? null
        : "the handshake was rejected with HTTP " + status[1] + reason(status, body);
  }

  /** Returns the value of a header, or an empty string. */
  String header(String name) {
    String[] lines = lines();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      if (colon == name.length() && lines[i].regionMatches(true, 0, name, 0, colon)) {
        return lines[i].substring(colon + 1).trim();
      }
    }
    return "";
  }

  private String[] lines() {
    return head.toString().split("\r\n");
  }

  private static String reason(String[] status, ByteBuf body) {
    String firstLine = body.toString(ISO_8859_1).lines().findFirst().orElse("");
    String phrase = status.length > 2 ? status[2] : "";
    String reason = firstLine.isBlank() ? phrase : firstLine;
    return reason.isBlank() ? "" : ": " + shortened(reason.strip());
  }

  private static String shortened(String text) {
    String printable = text.replaceAll("[^ -~]", "?");
    return printable.substring(0, Math.min(MAX_REASON, printable.length()));
  }
}
