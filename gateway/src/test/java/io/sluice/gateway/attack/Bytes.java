package io.sluice.gateway.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.testkit.ClientFrame;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.Deflater;

/** Bytes that attackers send. Stateless. */
public final class Bytes {
  private static final String HEAD =
      "GET /ws HTTP/1.1\r\nHost: node\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
          + "Sec-WebSocket-Protocol: sluice.v1.json\r\n";

  /** The length of a TLS record's header and of a handshake message's. */
  private static final int RECORD = 5;

  private static final int MESSAGE = 4;

  private Bytes() {}

  static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    return joined.toByteArray();
  }

  static byte[] repeat(byte[] bytes, int times) {
    ByteBuffer all = ByteBuffer.allocate(bytes.length * times);
    for (int i = 0; i < times; i++) {
      all.put(bytes);
    }
    return all.array();
  }

  /** A handshake with further header lines. */
  public static byte[] handshake(String... lines) {
    StringBuilder head = new StringBuilder(HEAD);
    for (String line : lines) {
      head.append(line).append("\r\n");
    }
    return ascii(head.append("\r\n").toString());
  }

  /** The head of a request for a stream. */
  static byte[] streamRequest(int bodyBytes) {
    return ascii(
        "POST /stream HTTP/1.1\r\nHost: node\r\nContent-Type: text/plain\r\n"
            + "Content-Length: "
            + bodyBytes
            + "\r\n\r\n");
  }

  /** Returns the beginning of a handshake that remains incomplete. */
  static byte[] halfHandshake() {
    return ascii(HEAD);
  }

  public static byte[] text(String frame) {
    return ClientFrame.text(frame).bytes();
  }

  /** The request of a stream with these frames. */
  static byte[] stream(String... frames) {
    byte[] body = ascii(String.join("\n", frames));
    return join(streamRequest(body.length), body);
  }

  static String subscribeFrame(int ref, String topic) {
    return "{\"type\":\"subscribe\",\"ref\":" + ref + ",\"topic\":\"" + topic + "\"}";
  }

  static byte[] subscribe(int ref, String topic) {
    return text(subscribeFrame(ref, topic));
  }

  static byte[] unsubscribe(int ref, String topic) {
    return text("{\"type\":\"unsubscribe\",\"ref\":" + ref + ",\"topic\":\"" + topic + "\"}");
  }

  static byte[] publish(int ref, String topic) {
    return text(
        "{\"type\":\"publish\",\"ref\":%d,\"topic\":\"%s\",\"payload\":\"spam\"}"
            .formatted(ref, topic));
  }

  static String connectFrame(String token) {
    return "{\"type\":\"connect\",\"token\":\"" + token + "\"}";
  }

  static byte[] connect(String token) {
    return text(connectFrame(token));
  }

  /** Returns pseudorandom bytes, equal for equal arguments. */
  static byte[] junk(int number, int length) {
    byte[] junk = new byte[length];
    new Random(number).nextBytes(junk);
    return junk;
  }

  /** A compressed message of zeros that inflates to about a thousand times its length. */
  static byte[] bomb(int inflatedBytes) {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
    deflater.setInput(new byte[inflatedBytes]);
    byte[] out = new byte[inflatedBytes / 500 + 100];
    int length = deflater.deflate(out, 0, out.length, Deflater.SYNC_FLUSH);
    deflater.end();
    byte[] payload = new byte[length - 4]; // RFC 7692 leaves the last four bytes out
    System.arraycopy(out, 0, payload, 0, payload.length);
    return ClientFrame.text(payload).rsv(4).bytes();
  }

  /**
   * One of 2^bits names of the same length and the same {@link String#hashCode}: "Aa" and "BB" have
   * the same.
   */
  static String collision(int number, int bits) {
    StringBuilder name = new StringBuilder();
    for (int bit = 0; bit < bits; bit++) {
      name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return name.toString();
  }

  /** Returns a complete ClientHello of TLS 1.2. */
  static byte[] clientHello() {
    ByteBuffer hello = ByteBuffer.allocate(256);
    hello.position(RECORD + MESSAGE);
    hello.putShort((short) 0x0303).put(junk(1, 32)).put((byte) 0);
    hello.putShort((short) 4).putShort((short) 0xc02f).putShort((short) 0xc02b); // ECDHE, AES-GCM
    hello.put((byte) 1).put((byte) 0);
    byte[] extensions = {
      0,
      10,
      0,
      4,
      0,
      2,
      0,
      23, // groups: secp256r1
      0,
      11,
      0,
      2,
      1,
      0, // uncompressed points
      0,
      13,
      0,
      6,
      0,
      4,
      4,
      3,
      8,
      4 // signatures: ECDSA and RSA-PSS with SHA-256
    };
    hello.putShort((short) extensions.length).put(extensions);
    int end = hello.position();
    hello.put(0, (byte) 22).putShort(1, (short) 0x0301).putShort(3, (short) (end - RECORD));
    hello.putInt(RECORD, 1 << 24 | end - RECORD - MESSAGE);
    byte[] bytes = new byte[end];
    hello.get(0, bytes);
    return bytes;
  }

  /** Header lines of this many bytes. */
  static String longHeader(int bytes) {
    return "X-Long: " + "x".repeat(bytes);
  }
}
