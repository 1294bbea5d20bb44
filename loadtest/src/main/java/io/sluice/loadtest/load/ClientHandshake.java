package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One client's opening handshake (RFC 6455, section 4.1): a request with a key of its own, and what
 * the answer must say. Bound to its client's event loop.
 */
final class ClientHandshake {
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final String SWITCHING = "101";
  private static final String END = "\r\n\r\n";
  private static final int KEY_BYTES = 16;
  private static final int MAX_HEAD = 8 * 1024;
  private static final int MAX_REASON = 120;

  private final String subprotocol;
  private final String key;
  private final StringBuilder head = new StringBuilder();
  private boolean whole;

  ClientHandshake(MessageEncoding encoding) {
    byte[] random = new byte[KEY_BYTES];
    ThreadLocalRandom.current().nextBytes(random);
    this.subprotocol = encoding.subprotocol();
    this.key = Base64.getEncoder().encodeToString(random);
  }

  /** Appends the request. */
  void writeRequest(ByteBuf out, GatewayUrl url) {
    String request =
        ("GET " + url.path() + " HTTP/1.1\r\n")
            + ("Host: " + url.authority() + "\r\n")
            + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + ("Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
            + ("Sec-WebSocket-Key: " + key + "\r\n\r\n");
    out.writeCharSequence(request, ISO_8859_1);
  }

  /** Reads the head of the answer and nothing behind it; true once it is whole or hopeless. */
  boolean read(ByteBuf in) {
    while (in.isReadable() && !whole) {
      head.append((char) in.readUnsignedByte());
      whole = head.length() == MAX_HEAD || endsWith(END);
    }
    return whole;
  }

  private boolean endsWith(String end) {
    int start = head.length() - end.length();
    return start >= 0 && head.indexOf(end, start) == start;
  }

  /**
   * What is wrong with the whole answer, or null.
   *
   * @param behind what has come behind the head: a refusal's reason, perhaps
   */
  String fault(ByteBuf behind) {
    String[] lines = head.toString().split("\r\n");
    String[] status = lines[0].split(" ", 3);
    if (status.length < 2 || !status[0].startsWith("HTTP/1.")) {
      return "the answer to the handshake is not HTTP: " + shortened(lines[0]);
    }
    if (!status[1].equals(SWITCHING)) {
      return "the handshake was refused with HTTP " + status[1] + reason(status, behind);
    }
    return faultOfHeaders(lines);
  }

  private String faultOfHeaders(String[] lines) {
    if (!header(lines, "upgrade").equalsIgnoreCase("websocket")) {
      return "the answer to the handshake does not upgrade to a WebSocket";
    }
    if (!header(lines, "sec-websocket-accept").equals(accept())) {
      return "the answer to the handshake has the wrong Sec-WebSocket-Accept";
    }
    if (!header(lines, "sec-websocket-extensions").isEmpty()) {
      return "the answer to the handshake has an extension that nobody asked for";
    }
    String agreed = header(lines, "sec-websocket-protocol");
    return agreed.equals(subprotocol)
        ? null
        : "the answer to the handshake is for '" + agreed + "', not for " + subprotocol;
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
      throw new IllegalStateException(e); // every Java has it
    }
  }

  private static String reason(String[] status, ByteBuf behind) {
    String body = behind.toString(ISO_8859_1).lines().findFirst().orElse("");
    String phrase = status.length > 2 ? status[2] : "";
    String reason = body.isBlank() ? phrase : body;
    return reason.isBlank() ? "" : ": " + shortened(reason.strip());
  }

  private static String shortened(String text) {
    String printable = text.replaceAll("[^ -~]", "?");
    return printable.substring(0, Math.min(MAX_REASON, printable.length()));
  }
}
