package io.sluice.gateway.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/** Fails a run in which a node logs an error. One thread. */
public final class ErrorLog implements AutoCloseable {
  /** Event that a node logs while it cannot write its journal. */
  private static final String FULL_DISK = "journal.failed";

  private final Logger log = (Logger) LoggerFactory.getLogger("io.sluice.gateway");
  private final Errors errors = new Errors();

  /** Records the latest error. */
  private static final class Errors extends AppenderBase<ILoggingEvent> {
    private ILoggingEvent latest;

    @Override
    protected void append(ILoggingEvent event) {
      boolean expected = event.getMessage().equals(FULL_DISK);
      if (event.getLevel().isGreaterOrEqual(Level.ERROR) && !expected) {
        latest = event;
      }
    }
  }

  /** Starts to record. */
  public ErrorLog() {
    errors.start();
    log.addAppender(errors);
  }

  /** Forgets earlier errors. */
  public void reset() {
    errors.latest = null;
  }

  /** Fails if a node has logged an error. */
  public void check() {
    ILoggingEvent latest = errors.latest;
    if (latest != null) {
      ThrowableProxy cause = (ThrowableProxy) latest.getThrowableProxy();
      throw new IllegalStateException(
          "a node logs " + latest, cause == null ? null : cause.getThrowable());
    }
  }

  @Override
  public void close() {
    log.detachAppender(errors);
  }
}
