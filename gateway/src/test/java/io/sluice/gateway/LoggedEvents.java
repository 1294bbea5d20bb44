package io.sluice.gateway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * The warnings and errors that a class logs while this is open, none of which is printed. For any
 * thread.
 */
public final class LoggedEvents implements AutoCloseable {
  private final List<String> names = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          names.add(event.getMessage());
        }
      };

  private LoggedEvents(Logger logger) {
    this.logger = logger;
    appender.start();
    logger.addAppender(appender);
    logger.setAdditive(false);
    logger.setLevel(Level.WARN);
  }

  public static LoggedEvents of(Class<?> source) {
    return new LoggedEvents((Logger) LoggerFactory.getLogger(source));
  }

  /** Their names, in order. */
  public List<String> names() {
    return names;
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setAdditive(true);
    logger.setLevel(null);
  }
}
