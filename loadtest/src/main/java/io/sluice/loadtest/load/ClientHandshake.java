package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Opening handshake of one client (RFC 6455, section 4.1): a request with a random key, and the
 * checks of the response. Bound to its client's event loop.
 */
final class ClientHandshake {
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final String SWITCHING = "101";
  private static final String END = "\r\n\r\n";
  private static final int KEY_BYTES = 16;
  private static final int MAX_HEAD = 8 * 1024;
  private static final int MAX_REASON = 120;
  private static final String DEFLATE = "permessage-deflate";

  private final String subprotocol;
  private final String key;
  private final boolean deflate;
  private final StringBuilder head = new StringBuilder();
  private boolean complete;

  /**
   * Creates a handshake.
   *
   * @param deflate whether to require permessage-deflate
   */
  ClientHandshake(MessageEncoding encoding, boolean deflate) {
    byte[] random = new byte[KEY_BYTES];
    ThreadLocalRandom.current().nextBytes(random);
    this.subprotocol = encoding.subprotocol();
    this.deflate = deflate;
    this.key = Base64.getEncoder().encodeToString(random);
  }

  /** Appends the request. */
  void writeRequest(ByteBuf out, GatewayUrl url) {
    String request =
        ("GET " + url.path() + " HTTP/1.1\r\n")
            + ("Host: " + url.authority() + "\r\n")
            + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + ("Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
            + (deflate ? "Sec-WebSocket-Extensions: " + DEFLATE + "\r\n" : "")
            + ("Sec-WebSocket-Key: " + key + "\r\n\r\n");
    out.writeCharSequence(request, ISO_8859_1);
  }

  /**
   * Reads the head of the response but not the body.
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
   * Returns the fault of the complete response, or null.
   *
   * @param body bytes after the head, which may contain the reason of a rejection
   */
  String fault(ByteBuf body) {
    String[] lines = head.toString().split("\r\n");
    String[] status = lines[0].split(" ", 3);
    if (status.length < 2 || !status[0].startsWith("HTTP/1.")) {
      return "the handshake response is not HTTP: " + shortened(lines[0]);
    }
    if (!status[1].equals(SWITCHING)) {
      return "the handshake was rejected with HTTP " + status[1] + reason(status, body);
    }
    return faultOfHeaders(lines);
  }

  /** Returns whether compressed messages may refer to earlier ones. */
  boolean isTakeover() {
    String extension = header(head.toString().split("\r\n"), "sec-websocket-extensions");
    return !extension.contains("server_no_context_takeover");
  }

  private String faultOfHeaders(String[] lines) {
    if (!header(lines, "upgrade").equalsIgnoreCase("websocket")) {
      return "the handshake response does not upgrade to WebSocket";
    }
    if (!header(lines, "sec-websocket-accept").equals(accept())) {
      return "the handshake response has a wrong Sec-WebSocket-Accept";
    }
    String extension = header(lines, "sec-websocket-extensions");
    if (deflate && !extension.startsWith(DEFLATE)) {
      return "the gateway declines permessage-deflate";
    }
    if (!deflate && !extension.isEmpty()) {
      return "the handshake response contains an extension that was not offered";
    }
    String agreed = header(lines, "sec-websocket-protocol");
    return agreed.equals(subprotocol)
        ? null
        : "the handshake response selects subprotocol '" + agreed + "' instead of " + subprotocol;
  }

  private static String header(String[] lines, String name) {
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      if (colon == name.length() && lines[i].regionMatches(true, 0, name, 0, colon)) {
        return lines[i].substring(colon + 1).trim();
      }
    }
    return "";
  }

  private String accept() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return Base64.getEncoder().encodeToString(digest.digest((key + GUID).getBytes(ISO_8859_1)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // SHA-1 is required of every Java platform
    }
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
