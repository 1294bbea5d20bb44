package io.sluice.gatling.check;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * Messages of one stream since its start or its previous evaluation, as checks read them. Owned by
 * the event loop of the virtual user.
 */
public final class StreamWindow {
  /** Ages have an error of less than 1 %; those below 256 ms are exact. */
  private static final int DIGITS = 2;

  private static final long MAX_AGE_MS = Duration.ofDays(365).toMillis();

  private int messages;
  private int gaps;
  private String firstGap;

  /** Ages in milliseconds; null before the first one. */
  private Histogram ages;

  /** Records a message. */
  public void onMessage() {
    messages++;
  }

  /** Records the age of a message. */
  public void onAge(long ageMs) {
    if (ages == null) {
      ages = new Histogram(DIGITS);
    }
    ages.recordValue(Math.min(ageMs, MAX_AGE_MS));
  }

  /** Records a place where messages are missing, repeated or out of order. */
  public void onGap(String description) {
    gaps++;
    if (firstGap == null) {
      firstGap = description;
    }
  }

  /** Returns the number of messages. */
  public int messages() {
    return messages;
  }

  /** Returns the number of places where messages are missing, repeated or out of order. */
  public int gaps() {
    return gaps;
  }

  /** Returns {@code no gaps}, or the number of gaps and the first one. */
  public String continuity() {
    return gaps == 0 ? "no gaps" : gaps + (gaps == 1 ? " gap: " : " gaps, first: ") + firstGap;
  }

  /** Returns the age at a percentile from 0 to 100; null without messages. */
  public Duration age(double percentile) {
    return ages == null ? null : Duration.ofMillis(ages.getValueAtPercentile(percentile));
  }

  /** Returns the lowest age; null without messages. */
  public Duration minAge() {
    return ages == null ? null : Duration.ofMillis(ages.getMinValue());
  }

  /** Returns the highest age; null without messages. */
  public Duration maxAge() {
    return ages == null ? null : Duration.ofMillis(ages.getMaxValue());
  }

  /** Returns the mean age; null without messages. */
  public Duration meanAge() {
    return ages == null ? null : Duration.ofNanos(Math.round(ages.getMean() * 1e6));
  }
}
