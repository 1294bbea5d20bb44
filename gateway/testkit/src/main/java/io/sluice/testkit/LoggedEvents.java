package io.sluice.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * The events that a class logs while this is open, none of which is printed. By default warnings
 * and errors only. For any thread.
 */
public final class LoggedEvents implements AutoCloseable {
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          events.add(event);
        }
      };

  private LoggedEvents(Logger logger, Level lowest) {
    this.logger = logger;
    appender.start();
    logger.addAppender(appender);
    logger.setAdditive(false);
    logger.setLevel(lowest);
  }

  public static LoggedEvents of(Class<?> source) {
    return of(source, Level.WARN);
  }

  /** Collects the events of a level and those above it. */
  public static LoggedEvents of(Class<?> source, Level lowest) {
    return new LoggedEvents((Logger) LoggerFactory.getLogger(source), lowest);
  }

  /** Their names, in order. */
  public List<String> names() {
    return events.stream().map(ILoggingEvent::getMessage).toList();
  }

  /** Returns the pairs of the latest event of a name, such as {@code url="tcp://broker:61616"}. */
  public List<String> pairs(String name) {
    return events.stream()
        .filter(event -> event.getMessage().equals(name))
        .reduce((earlier, later) -> later)
        .map(event -> event.getKeyValuePairs().stream().map(String::valueOf).toList())
        .orElse(List.of());
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setAdditive(true);
    logger.setLevel(null);
  }
}
