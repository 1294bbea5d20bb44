package io.sluice.gateway.soak;

import java.util.Random;

/**
 * The payloads of numbered messages: {@code SEQ=17} and a filler that hardly compresses, all ASCII.
 * For any thread.
 */
final class Numbered {
  /** No payload is longer. */
  static final int LONGEST = 64 * 1024;

  private static final String PREFIX = "SEQ=";
  private static final String SYMBOLS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final String FILLER = filler();

  /** What a frame has at most beside its payload. */
  private static final int OVERHEAD = 256;

  private Numbered() {}

  private static String filler() {
    return new Random(1)
        .ints(2 * LONGEST, 0, SYMBOLS.length())
        .map(SYMBOLS::charAt)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** A payload of about this length. */
  static String payload(long number, int length, Random random) {
    int start = random.nextInt(LONGEST);
    return PREFIX + number + ' ' + FILLER.substring(start, start + Math.min(length, LONGEST - 32));
  }

  /** The number in a payload. */
  static long number(String payload) {
    return Long.parseLong(payload, PREFIX.length(), payload.indexOf(' '), 10);
  }

  /** The bytes that a message may take on its way to a client. */
  static int weight(int payloadLength) {
    return payloadLength + OVERHEAD;
  }
}
