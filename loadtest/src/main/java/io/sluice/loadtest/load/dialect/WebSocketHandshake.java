package io.sluice.loadtest.load.dialect;

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
final class WebSocketHandshake implements Handshake {
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final String SWITCHING = "101";
  private static final int KEY_BYTES = 16;
  private static final String DEFLATE = "permessage-deflate";

  private final DialectOptions options;
  private final String subprotocol;
  private final String key;
  private final HandshakeResponse response = new HandshakeResponse();

  /** Creates a handshake that requires the subprotocol. */
  WebSocketHandshake(String subprotocol, DialectOptions options) {
    byte[] random = new byte[KEY_BYTES];
    ThreadLocalRandom.current().nextBytes(random);
    this.options = options;
    this.subprotocol = subprotocol;
    this.key = Base64.getEncoder().encodeToString(random);
  }

  @Override
  public void writeRequest(ByteBuf out) {
    String request =
        ("GET " + options.path() + " HTTP/1.1\r\n")
            + ("Host: " + options.authority() + "\r\n")
            + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + ("Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
            + (options.inflate() ? "Sec-WebSocket-Extensions: " + DEFLATE + "\r\n" : "")
            + ("Sec-WebSocket-Key: " + key + "\r\n\r\n");
    out.writeCharSequence(request, ISO_8859_1);
  }

  @Override
  public boolean read(ByteBuf in) {
    return response.read(in);
  }

  @Override
  public String fault(ByteBuf body) {
    String fault = response.faultOfStatus(SWITCHING, body);
    return fault == null ? faultOfHeaders() : fault;
  }

  /** Returns whether compressed messages may refer to earlier ones. */
  boolean isTakeover() {
    return !response.header("sec-websocket-extensions").contains("server_no_context_takeover");
  }

  private String faultOfHeaders() {
    if (!response.header("upgrade").equalsIgnoreCase("websocket")) {
      return "the handshake response does not upgrade to WebSocket";
    }
    if (!response.header("sec-websocket-accept").equals(accept())) {
      return "the handshake response has a wrong Sec-WebSocket-Accept";
    }
    String extension = response.header("sec-websocket-extensions");
    if (options.inflate() && !extension.startsWith(DEFLATE)) {
      return "the gateway declines permessage-deflate";
    }
    if (!options.inflate() && !extension.isEmpty()) {
      return "the handshake response contains an extension that was not offered";
    }
    String agreed = response.header("sec-websocket-protocol");
    return agreed.equals(subprotocol)
        ? null
        : "the handshake response selects subprotocol '" + agreed + "' instead of " + subprotocol;
  }

  private String accept() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return Base64.getEncoder().encodeToString(digest.digest((key + GUID).getBytes(ISO_8859_1)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // SHA-1 is required of every Java platform
    }
  }
}
