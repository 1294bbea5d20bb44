package io.sluice.gateway.feed;

import java.util.Random;

/**
 * Payloads of one exact size: the stamp, then letters and digits that compress about as badly as
 * they may. Immutable, for any thread.
 */
public final class Filler implements Payloads {
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  private final String text;

  /**
   * Payloads of that many bytes.
   *
   * @throws IllegalArgumentException if the stamp would not fit
   */
  public Filler(int bytes) {
    if (bytes < Stamp.MOST_BYTES) {
      throw new IllegalArgumentException(
          bytes + " bytes can't hold the time and the number; the least is " + Stamp.MOST_BYTES);
    }
    // A fixed seed: two runs of a benchmark send the same bytes.
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
