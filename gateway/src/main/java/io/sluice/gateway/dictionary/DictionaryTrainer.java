package io.sluice.gateway.dictionary;

import io.sluice.gateway.protocol.dictionary.Dictionary;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;

/**
 * Selection of the content of a dictionary from recorded messages. Deterministic; bound to one
 * thread, and used once.
 *
 * <p>The algorithm is that of COVER (Liao, Petri, Moffat, Wirth: Effective Construction of Relative
 * Lempel-Ziv Dictionaries): of each part of the messages, the segment with the most frequent
 * sequences is selected, and its sequences count no more. The best of several segment lengths is
 * that which compresses every fourth message, which the selection does not use, to the fewest
 * bytes.
 */
public final class DictionaryTrainer {
  /** Minimum number of messages: fewer show no sequences that repeat. */
  public static final int MIN_MESSAGES = 8;

  private static final int[] SEGMENT_BYTES = {12, 24, 48, 96, 192, 384, 768};
  private static final int HELD_OUT = 4;
  private static final int LEVEL = 6;

  /** Constant parts of messages in JSON, which are distant from the end as they save least. */
  private static final byte[] FRAME =
      "{\"type\":\"message\",\"topic\":\",\"offset\":,\"id\":\"\",\"time\":17,\"payload\":\""
          .getBytes(StandardCharsets.UTF_8);

  private final List<byte[]> training = new ArrayList<>();
  private final List<byte[]> heldOut = new ArrayList<>();

  /**
   * Result of a training.
   *
   * @param bytes content of the dictionary
   * @param messageBytes mean size of the messages of the comparison
   * @param aloneBytes the same, compressed without dictionary
   * @param trainedBytes the same, compressed with the dictionary
   */
  public record Trained(
      byte[] bytes, double messageBytes, double aloneBytes, double trainedBytes) {}

  /**
   * @param messages payloads; at least {@link #MIN_MESSAGES}
   */
  public DictionaryTrainer(List<byte[]> messages) {
    if (messages.size() < MIN_MESSAGES) {
      throw new IllegalArgumentException(
          messages.size() + " messages are too few; expected " + MIN_MESSAGES + " or more");
    }
    for (int i = 0; i < messages.size(); i++) {
      (i % HELD_OUT == HELD_OUT - 1 ? heldOut : training).add(messages.get(i));
    }
  }

  /**
   * Returns the best dictionary.
   *
   * @param maxBytes maximum size, at most {@link Dictionary#MAX_BYTES}
   */
  public Trained train(int maxBytes) {
    byte[] best = {};
    long bestBytes = Long.MAX_VALUE;
    for (int segmentBytes : SEGMENT_BYTES) {
      if (segmentBytes <= maxBytes) {
        byte[] candidate = candidate(maxBytes, segmentBytes);
        long bytes = compressedBytes(candidate);
        if (bytes < bestBytes) {
          best = candidate;
          bestBytes = bytes;
        }
      }
    }
    long plain = heldOut.stream().mapToLong(message -> message.length).sum();
    return new Trained(best, mean(plain), mean(compressedBytes(new byte[0])), mean(bestBytes));
  }

  private double mean(long bytes) {
    return (double) bytes / heldOut.size();
  }

  private byte[] candidate(int maxBytes, int segmentBytes) {
    boolean framed = maxBytes >= 2 * FRAME.length;
    int room = framed ? maxBytes - FRAME.length : maxBytes;
    byte[] segments = new SegmentSelection(training, segmentBytes).select(room);
    ByteArrayOutputStream content = new ByteArrayOutputStream(maxBytes);
    if (framed) {
      content.writeBytes(FRAME);
    }
    content.writeBytes(segments);
    return content.toByteArray();
  }

  private long compressedBytes(byte[] dictionary) {
    Deflater deflater = new Deflater(LEVEL, true);
    try {
      return heldOut.stream().mapToLong(each -> deflated(deflater, dictionary, each)).sum();
    } finally {
      deflater.end();
    }
  }

  // Without the last four bytes, like a frame.
  private static long deflated(Deflater deflater, byte[] dictionary, byte[] message) {
    deflater.reset();
    if (dictionary.length > 0) {
      deflater.setDictionary(dictionary);
    }
    deflater.setInput(message);
    byte[] out = new byte[message.length + message.length / 1024 + 64];
    return deflater.deflate(out, 0, out.length, Deflater.SYNC_FLUSH) - 4L;
  }
}
