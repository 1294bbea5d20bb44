package io.sluice.testkit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decoder of the compressed frames of one connection: docs/PROTOCOL.md, section 5. Confined to one
 * thread.
 */
public class CompressedFrames {
  /** Kinds of frames. */
  public static final int FULL = 0;

  public static final int NEXT = 1;
  public static final int PLAIN = 2;

  private static final int TYPE = 3;
  private static final int TEXT = 0x40;
  private static final int HAS_REF = 0x80;
  private static final int BINARY_HEAD = 20;
  private static final String TEXT_HEAD = "{\"type\":\"message\"";
  private static final int WINDOW = 32 * 1024;
  private static final byte[] TAIL = {0, 0, -1, -1};

  private final Map<Long, byte[]> latest = new HashMap<>();

  /** Frames by kind. */
  private final int[] received = new int[3];

  /**
   * Message of a frame.
   *
   * @param text whether it is a text frame
   */
  public record Content(boolean text, byte[] payload) {}

  /** Returns whether a binary frame is compressed. */
  public static boolean isCompressed(byte[] frame) {
    return frame.length > 0 && (frame[0] & 0x0F) == TYPE;
  }

  /** Returns the number of frames of a kind. */
  public int received(int kind) {
    return received[kind];
  }

  /** Returns the message that a compressed frame contains. */
  public Content decode(byte[] frame) {
    int first = frame[0];
    long number = 0;
    int at = 1;
    for (int shift = 0; (frame[at] & 0x80) != 0; shift += 7) {
      number |= (long) (frame[at++] & 0x7F) << shift;
    }
    number |= (long) frame[at] << 7 * (at - 1);
    boolean tagged = (first & HAS_REF) != 0;
    long stream = stream(tagged ? -1 - number : number);
    byte[] content = Arrays.copyOfRange(frame, at + 1, frame.length);
    byte[] message = message(first >> 4 & 3, stream, content);
    retain(first >> 4 & 3, stream, message);
    boolean text = (first & TEXT) != 0;
    return new Content(text, tagged ? tagged(message, text, number) : message);
  }

  /** Returns the key of a stream; tests override it. */
  protected long stream(long number) {
    return number;
  }

  /** Retains a message as dictionary; tests override it. */
  protected void retain(int kind, long stream, byte[] message) {
    latest.put(
        stream, Arrays.copyOfRange(message, Math.max(0, message.length - WINDOW), message.length));
  }

  private byte[] message(int kind, long stream, byte[] content) {
    received[kind]++;
    if (kind == PLAIN) {
      return content;
    }
    byte[] dictionary = kind == NEXT ? latest.get(stream) : new byte[0];
    if (dictionary == null) {
      throw new AssertionError("no message precedes that of stream " + stream);
    }
    Inflater inflater = new Inflater(true);
    try {
      if (dictionary.length > 0) {
        inflater.setDictionary(dictionary);
      }
      return inflate(inflater, content);
    } catch (DataFormatException e) {
      throw new AssertionError("the message of stream " + stream + " does not inflate", e);
    } finally {
      inflater.end();
    }
  }

  private static byte[] inflate(Inflater inflater, byte[] content) throws DataFormatException {
    byte[] all = Arrays.copyOf(content, content.length + TAIL.length);
    System.arraycopy(TAIL, 0, all, content.length, TAIL.length);
    inflater.setInput(all);
    byte[] message = new byte[1024];
    int size = 0;
    for (int n = inflater.inflate(message); n > 0; ) {
      size += n;
      if (size == message.length) {
        message = Arrays.copyOf(message, 2 * size);
      }
      n = inflater.inflate(message, size, message.length - size);
    }
    if (inflater.getRemaining() > 0) {
      throw new DataFormatException("data behind the end");
    }
    return Arrays.copyOf(message, size);
  }

  private static byte[] tagged(byte[] message, boolean text, long ref) {
    if (text) {
      String plain = new String(message, StandardCharsets.UTF_8);
      String tagged = TEXT_HEAD + ",\"ref\":" + ref + plain.substring(TEXT_HEAD.length());
      return tagged.getBytes(StandardCharsets.UTF_8);
    }
    return ByteBuffer.allocate(message.length + Integer.BYTES)
        .put((byte) (message[0] | HAS_REF))
        .put(message, 1, BINARY_HEAD - 1)
        .putInt((int) ref)
        .put(message, BINARY_HEAD, message.length - BINARY_HEAD)
        .array();
  }
}
