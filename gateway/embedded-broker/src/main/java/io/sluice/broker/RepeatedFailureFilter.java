package io.sluice.broker;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.List;

/**
 * Filter of the broker's log that drops events of failures that are also reported in one line. For
 * any thread.
 */
public final class RepeatedFailureFilter extends Filter<ILoggingEvent> {
  /** Reported by {@link EmbeddedBroker}: the acceptor or the initialization has failed. */
  private static final List<String> FAILED_START = List.of("AMQ224104", "AMQ224000");

  /**
   * Stack traces for a client of another protocol. The event AMQ212037 reports its address and the
   * cause.
   */
  private static final List<String> WRONG_PROTOCOL =
      List.of("AMQ214013", "AMQ222218: Server disconnecting: Error decoding buffer");

  @Override
  public FilterReply decide(ILoggingEvent event) {
    String text = event.getFormattedMessage();
    boolean repeated =
        text != null && (startsWithAny(text, FAILED_START) || startsWithAny(text, WRONG_PROTOCOL));
    return repeated ? FilterReply.DENY : FilterReply.NEUTRAL;
  }

  private static boolean startsWithAny(String text, List<String> prefixes) {
    return prefixes.stream().anyMatch(text::startsWith);
  }
}
