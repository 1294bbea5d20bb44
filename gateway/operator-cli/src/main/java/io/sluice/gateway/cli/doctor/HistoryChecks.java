package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.config.HistorySettings;
import java.time.Duration;
import java.util.List;

/**
 * Checks whether the logs are longer than the absence of a client. Stateless, for any thread.
 *
 * <p>A client that lags is closed after its idle timeout, and resumes after a backoff. It loses
 * messages if the log no longer has its position.
 */
final class HistoryChecks {
  private HistoryChecks() {}

  static List<Finding> of(Requirements requirements) {
    return List.of(messages(requirements), age(requirements));
  }

  private static Finding messages(Requirements requirements) {
    String key = HistorySettings.MESSAGES.key();
    long found = requirements.config().get(HistorySettings.MESSAGES);
    long seconds = requirements.absence().toSeconds();
    String why =
        "messages of the busiest topic or pattern in %d s: idle timeout and longest backoff"
            .formatted(seconds);
    if (requirements.rate() == 0) {
      String covers = Figures.decimal((double) found / seconds);
      String text = Figures.count(found) + ", enough for " + covers + "/s";
      return Finding.ok(key, text, why + "; --rate checks a rate");
    }
    long wanted = (long) Math.ceil(requirements.rate() * seconds);
    return Finding.atLeast(key, found, wanted, why, Remedy.config(key, wanted));
  }

  private static Finding age(Requirements requirements) {
    String key = HistorySettings.AGE.key();
    Duration found = requirements.config().get(HistorySettings.AGE);
    Duration wanted = requirements.absence();
    String text = found.toSeconds() + " s";
    String why = "idle timeout of a client that lags, and the longest backoff before it resumes";
    return found.compareTo(wanted) >= 0
        ? Finding.ok(key, text, why)
        : Finding.change(
            key,
            text,
            wanted.toSeconds() + " s or more",
            why,
            Remedy.config(key, wanted.toSeconds() + "s"));
  }
}
