package io.sluice.gateway.broker.jms;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.time.LogInterval;
import io.sluice.gateway.trace.TraceLog;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rate-limited log of messages that clients do not receive: at most one event per minute and kind,
 * because publishers determine their number. For any thread.
 */
final class RefusedMessages {
  private static final Logger log = LoggerFactory.getLogger(RefusedMessages.class);
  private static final int MAX_CHARACTERS = 256;

  private final LongSupplier clockNs;
  private final LogInterval invalidTopics = new LogInterval();
  private final LogInterval unsupported = new LogInterval();
  private final LogInterval discarded = new LogInterval();

  /**
   * @param clockNs monotonic clock, in nanoseconds
   */
  RefusedMessages(LongSupplier clockNs) {
    this.clockNs = clockNs;
  }

  /**
   * Logs a message whose topic violates the rules of names.
   *
   * @param name topic in the provider's syntax
   * @param problem violated rule
   */
  void onInvalidTopic(InterestKey interest, String name, String problem) {
    long messages = invalidTopics.add(clockNs.getAsLong());
    if (messages > 0) {
      log.atWarn()
          .addKeyValue("interest", interest)
          .addKeyValue("topic", printable(name))
          .addKeyValue("problem", printable(problem))
          .addKeyValue("messages", messages)
          .log("message.invalid-topic");
    }
  }

  /**
   * Logs a message that has no form in the protocol.
   *
   * @param problem part of the message without such a form
   * @param traceparent its trace context, or null
   */
  void onUnsupported(InterestKey interest, String problem, Object traceparent) {
    long messages = unsupported.add(clockNs.getAsLong());
    if (messages > 0) {
      TraceLog.withTrace(log.atWarn(), traceparent)
          .addKeyValue("topic", interest)
          .addKeyValue("problem", printable(problem))
          .addKeyValue("messages", messages)
          .log("message.unsupported");
    }
  }

  /** Logs a message that the broker has discarded. */
  void onDiscarded(InterestKey interest) {
    long messages = discarded.add(clockNs.getAsLong());
    if (messages > 0) {
      log.atWarn()
          .addKeyValue("topic", interest)
          .addKeyValue("messages", messages)
          .log("message.discarded");
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
