package io.sluice.gateway.broker.jms;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.time.LogInterval;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rate-limited log of messages whose topic violates the rules of names: at most one event per
 * minute, because any publisher can use any topic. For any thread.
 */
final class InvalidTopics {
  private static final Logger log = LoggerFactory.getLogger(InvalidTopics.class);
  private static final int MAX_CHARACTERS = 256;

  private final LongSupplier clockNs;
  private final LogInterval interval = new LogInterval();

  /**
   * @param clockNs monotonic clock, in nanoseconds
   */
  InvalidTopics(LongSupplier clockNs) {
    this.clockNs = clockNs;
  }

  /**
   * Logs a message, or counts it if one was logged in the last minute.
   *
   * @param name topic in the provider's syntax
   * @param problem violated rule
   */
  void add(InterestKey interest, String name, String problem) {
    long messages = interval.add(clockNs.getAsLong());
    if (messages > 0) {
      log.atWarn()
          .addKeyValue("interest", interest)
          .addKeyValue("topic", printable(name))
          .addKeyValue("problem", printable(problem))
          .addKeyValue("messages", messages)
          .log("message.invalid-topic");
    }
  }

  /** Returns the beginning of a text, in ASCII without control characters. */
  static String printable(String text) {
    StringBuilder printable = new StringBuilder();
    for (int i = 0; i < Math.min(text.length(), MAX_CHARACTERS); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 127) {
        printable.append(c);
      } else {
        printable.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    return text.length() > MAX_CHARACTERS
        ? printable.append("...").toString()
        : printable.toString();
  }
}
