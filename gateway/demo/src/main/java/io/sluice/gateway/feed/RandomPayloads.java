package io.sluice.gateway.feed;

import java.util.Random;

/**
 * Payloads of a fixed size: the stamp, followed by random characters, which compress badly.
 * Immutable, for any thread.
 */
public final class RandomPayloads implements Payloads {
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  private final String text;

  /**
   * Creates payloads of a fixed size.
   *
   * @throws IllegalArgumentException if the size is too small for the stamp
   */
  public RandomPayloads(int bytes) {
    if (bytes < Stamp.MAX_BYTES) {
      throw new IllegalArgumentException(
          "payload size of " + bytes + " bytes is below the minimum of " + Stamp.MAX_BYTES);
    }
    // The seed is fixed, because two runs of a benchmark have to send equal bytes.
    this.text =
        new Random(7)
            .ints(bytes, 0, ALPHABET.length())
            .collect(
                StringBuilder::new, (b, i) -> b.append(ALPHABET.charAt(i)), StringBuilder::append)
            .toString();
  }

  @Override
  public String payload(int topic, long sequence, long timeNs) {
    String stamp = Stamp.of(sequence, timeNs);
    return stamp + text.substring(stamp.length());
  }
}
