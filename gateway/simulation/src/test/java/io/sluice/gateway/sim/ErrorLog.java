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

  /** Event that a node logs when a topic lags. */
  private static final String LAG = "ingress.lagging";

  private final Logger log = (Logger) LoggerFactory.getLogger("io.sluice.gateway");
  private final Logger lag = (Logger) LoggerFactory.getLogger("io.sluice.gateway.hub.IngressLag");
  private final Errors errors = new Errors();

  /** Records the latest error. */
  private static final class Errors extends AppenderBase<ILoggingEvent> {
    private ILoggingEvent latest;
    private ILoggingEvent latestLag;

    @Override
    protected void append(ILoggingEvent event) {
      boolean expected = event.getMessage().equals(FULL_DISK);
      if (event.getLevel().isGreaterOrEqual(Level.ERROR) && !expected) {
        latest = event;
      }
      if (event.getMessage().equals(LAG)) {
        latestLag = event;
      }
    }
  }

  /** Starts to record. */
  public ErrorLog() {
    errors.start();
    log.addAppender(errors);
    lag.addAppender(errors);
    lag.setLevel(Level.WARN);
    lag.setAdditive(false); // not to the console
  }

  /** Forgets earlier errors. */
  public void reset() {
    errors.latest = null;
    errors.latestLag = null;
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

  /** Fails if a node has measured the lag of a topic. */
  void checkNoLag() {
    if (errors.latestLag != null) {
      throw new IllegalStateException("a node without a backlog logs " + errors.latestLag);
    }
  }

  @Override
  public void close() {
    log.detachAppender(errors);
    lag.detachAppender(errors);
    lag.setLevel(null);
    lag.setAdditive(true);
  }
}
