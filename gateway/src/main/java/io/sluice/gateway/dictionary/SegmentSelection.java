package io.sluice.gateway.dictionary;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Selection of segments with frequent sequences from messages. Bound to one thread, and used once.
 *
 * <p>A sequence counts the messages that contain it, if there are at least two. Sequences are
 * identified by a hash; equal hashes of different ones make the selection slightly worse only.
 */
final class SegmentSelection {
  private static final int SEQUENCE_BYTES = 6;
  private static final int HASH_BITS = 20;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final List<byte[]> messages;
  private final int segmentBytes;

  /** Messages that contain a sequence, by its hash; 0 once it is in a selected segment. */
  private final int[] counts = new int[1 << HASH_BITS];

  /** Occurrences of a sequence in the current segment, by its hash. */
  private final int[] occurrences = new int[1 << HASH_BITS];

  private final Deque<byte[]> selected = new ArrayDeque<>();
  private int selectedBytes;

  /** Segment of a message with the sum of its counts. */
  private record Segment(byte[] message, int from, int to, long score) {
    static final Segment NONE = new Segment(new byte[0], 0, 0, 0);
  }

  SegmentSelection(List<byte[]> messages, int segmentBytes) {
    this.messages = messages;
    this.segmentBytes = Math.max(segmentBytes, SEQUENCE_BYTES);
  }

  /** Returns the selected segments, the best one at the end, where references are shortest. */
  byte[] select(int maxBytes) {
    count();
    int parts = Math.max(1, Math.min(messages.size(), maxBytes / segmentBytes));
    boolean found = true;
    while (found && selectedBytes < maxBytes) {
      found = false;
      for (int part = 0; part < parts && selectedBytes < maxBytes; part++) {
        found |= selectOf(part, parts, maxBytes);
      }
    }
    return joined();
  }

  private void count() {
    int[] lastMessage = new int[1 << HASH_BITS];
    for (int number = 1; number <= messages.size(); number++) {
      byte[] message = messages.get(number - 1);
      for (int at = 0; at + SEQUENCE_BYTES <= message.length; at++) {
        int hash = hash(message, at);
        if (lastMessage[hash] != number) {
          lastMessage[hash] = number;
          counts[hash]++;
        }
      }
    }
    for (int hash = 0; hash < counts.length; hash++) {
      counts[hash] = counts[hash] < 2 ? 0 : counts[hash];
    }
  }

  private boolean selectOf(int part, int parts, int maxBytes) {
    int from = (int) ((long) messages.size() * part / parts);
    int to = (int) ((long) messages.size() * (part + 1) / parts);
    Segment best = Segment.NONE;
    for (byte[] message : messages.subList(from, to)) {
      best = better(best, message);
    }
    if (best.score() == 0) {
      return false;
    }
    add(trimmed(best), maxBytes);
    return true;
  }

  /** Returns the segment with the highest score of a message, unless another one is as good. */
  private Segment better(Segment other, byte[] message) {
    Segment best = other;
    int sequences = segmentBytes - SEQUENCE_BYTES + 1;
    int last = message.length - SEQUENCE_BYTES;
    long score = 0;
    for (int at = 0; at <= last; at++) {
      score += enter(hash(message, at));
      if (at >= sequences) {
        score -= leave(hash(message, at - sequences));
      }
      if (score > best.score()) {
        int from = Math.max(0, at - sequences + 1);
        best = new Segment(message, from, at + SEQUENCE_BYTES, score);
      }
    }
    for (int at = Math.max(0, last - sequences + 1); at <= last; at++) {
      occurrences[hash(message, at)] = 0;
    }
    return best;
  }

  private int enter(int hash) {
    return occurrences[hash]++ == 0 ? counts[hash] : 0;
  }

  private int leave(int hash) {
    return --occurrences[hash] == 0 ? counts[hash] : 0;
  }

  /** Returns a segment without sequences at its ends that do not repeat. */
  private Segment trimmed(Segment segment) {
    int from = segment.from();
    int to = segment.to();
    while (counts[hash(segment.message(), from)] == 0) {
      from++;
    }
    while (counts[hash(segment.message(), to - SEQUENCE_BYTES)] == 0) {
      to--;
    }
    return new Segment(segment.message(), from, to, segment.score());
  }

  private void add(Segment segment, int maxBytes) {
    for (int at = segment.from(); at + SEQUENCE_BYTES <= segment.to(); at++) {
      counts[hash(segment.message(), at)] = 0;
    }
    int to = Math.min(segment.to(), segment.from() + maxBytes - selectedBytes);
    selected.addFirst(Arrays.copyOfRange(segment.message(), segment.from(), to));
    selectedBytes += to - segment.from();
  }

  private byte[] joined() {
    byte[] all = new byte[selectedBytes];
    int at = 0;
    for (byte[] segment : selected) {
      System.arraycopy(segment, 0, all, at, segment.length);
      at += segment.length;
    }
    return all;
  }

  private static int hash(byte[] message, int at) {
    long value = 0;
    for (int i = 0; i < SEQUENCE_BYTES; i++) {
      value = value << Byte.SIZE | message[at + i] & 0xFF;
    }
    return (int) (value * MULTIPLIER >>> Long.SIZE - HASH_BITS);
  }
}
