package io.sluice.gateway.node;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.TimeoutSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Limit of the logs that is shorter than the absence of a client. A client that lags is closed
 * after its idle timeout, and resumes after a backoff: its position is then lost. Immutable, for
 * any thread.
 *
 * @param key the key of the limit
 * @param what the consequence, worded for people
 */
public record ShortHistory(String key, String what) {
  /** Rate that is assumed for the busiest topic or pattern, in messages per second. */
  public static final double ASSUMED_RATE = 1;

  /** Longest wait of a client before it connects again: docs/PROTOCOL.md, section 7. */
  private static final Duration BACKOFF = Duration.ofSeconds(30);

  /** Returns how long a client can lag or be disconnected until it resumes. */
  public static Duration absence(Config config) {
    return TimeoutSettings.idle(config).plus(BACKOFF);
  }

  /**
   * Returns the limits that are too short.
   *
   * @param rate messages per second of the busiest topic or pattern
   */
  public static List<ShortHistory> of(Config config, double rate) {
    long seconds = absence(config).toSeconds();
    String needed = ", but a client that lags resumes after up to " + seconds + " s";
    List<ShortHistory> found = new ArrayList<>();
    int messages = config.get(HistorySettings.MESSAGES);
    if (messages < rate * seconds) {
      long covered = (long) (messages / rate);
      String text = "%d messages cover %d s at %.1f/s".formatted(messages, covered, rate);
      found.add(new ShortHistory(HistorySettings.MESSAGES.key(), text + needed));
    }
    long age = config.get(HistorySettings.AGE).toSeconds();
    if (age < seconds) {
      found.add(new ShortHistory(HistorySettings.AGE.key(), age + " s are covered" + needed));
    }
    return found;
  }

  @Override
  public String toString() {
    return key + ": " + what;
  }
}
