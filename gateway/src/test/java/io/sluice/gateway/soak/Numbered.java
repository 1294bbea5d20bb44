package io.sluice.gateway.soak;

import java.util.Random;

/**
 * Payloads of numbered messages: {@code SEQ=17} and a filler that hardly compresses, all ASCII. For
 * any thread.
 */
final class Numbered {
  /** Maximum length of a payload. */
  static final int MAX_LENGTH = 64 * 1024;

  private static final String PREFIX = "SEQ=";
  private static final String SYMBOLS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final String FILLER = filler();

  /** Maximum number of bytes of a frame in addition to its payload. */
  private static final int OVERHEAD = 256;

  private Numbered() {}

  private static String filler() {
    return new Random(1)
        .ints(2 * MAX_LENGTH, 0, SYMBOLS.length())
        .map(SYMBOLS::charAt)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** Returns a payload of about this length. */
  static String payload(long number, int length, Random random) {
    int start = random.nextInt(MAX_LENGTH);
    return PREFIX
        + number
        + ' '
        + FILLER.substring(start, start + Math.min(length, MAX_LENGTH - 32));
  }

  /** Returns the number in a payload. */
  static long number(String payload) {
    return Long.parseLong(payload, PREFIX.length(), payload.indexOf(' '), 10);
  }

  /** Returns the maximum number of bytes of a message in transit to a client. */
  static int weight(int payloadLength) {
    return payloadLength + OVERHEAD;
  }
}
