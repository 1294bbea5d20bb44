package io.sluice.broker;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;

/**
 * Filter of the broker's log that drops the two events of a failed start, because {@link
 * EmbeddedBroker} reports the same failure in one line. For any thread.
 */
public final class StartFailureFilter extends Filter<ILoggingEvent> {
  private static final String ACCEPTOR_FAILED = "AMQ224104";
  private static final String INITIALIZATION_FAILED = "AMQ224000";

  @Override
  public FilterReply decide(ILoggingEvent event) {
    String text = event.getFormattedMessage();
    boolean reported =
        text != null
            && (text.startsWith(ACCEPTOR_FAILED) || text.startsWith(INITIALIZATION_FAILED));
    return reported ? FilterReply.DENY : FilterReply.NEUTRAL;
  }
}
