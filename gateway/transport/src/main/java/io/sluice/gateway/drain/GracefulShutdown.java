package io.sluice.gateway.drain;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Graceful shutdown of a node's clients: drains their connections and logs the result. Bound to one
 * thread, which ticks the {@link Drain}; another may cancel it.
 */
public final class GracefulShutdown {
  /** Clients of the node. For any thread. */
  public interface Clients {
    int connections();

    /** Rejects further clients and begins to drain the connected ones. */
    Drain drain(long drainMs, DrainPacer pacer, Supplier<String> targets);

    /** Ends a drain, and accepts clients again. */
    void undrain();
  }

  /**
   * Time limits of a shutdown.
   *
   * @param drainMs time for notifying and closing the clients
   * @param closeMs time for the replies to the last close frames
   */
  public record Options(long drainMs, long closeMs) {
    /** Returns the options of a configuration. */
    public static Options of(Config config) {
      return new Options(
          config.get(TimeoutSettings.DRAIN).toMillis(),
          config.get(TimeoutSettings.CLOSE).toMillis());
    }
  }

  private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);

  private final Clients clients;
  private final DrainPacer pacer;
  private final Supplier<String> targets;
  private final long drainMs;
  private final long closeMs;

  // Guarded by this.
  private Drain drain;
  private boolean cancelled;

  /**
   * @param pacer rate at which clients are notified
   * @param targets supplies the redirect target of the next client, or null for its configured
   *     addresses; called by any thread
   */
  public GracefulShutdown(
      Clients clients, Options options, DrainPacer pacer, Supplier<String> targets) {
    this.clients = clients;
    this.pacer = pacer;
    this.targets = targets;
    this.drainMs = options.drainMs();
    this.closeMs = options.closeMs();
  }

  /** Drains the clients. Returns when all are disconnected or the time is over. */
  public void run() {
    log.atInfo()
        .addKeyValue("clients", clients.connections())
        .addKeyValue("within-ms", drainMs)
        .log("node.draining");
    warnIfTooSlow();
    Drain begun = begin();
    if (begun != null) {
      awaitDisconnects(begun);
      report(begun);
    }
  }

  private synchronized Drain begin() {
    drain = cancelled ? null : clients.drain(drainMs, pacer, targets);
    return drain;
  }

  /** Ends the drain, whether it has begun or not; clients that were notified may still leave. */
  public synchronized void cancel() {
    cancelled = true;
    if (drain != null) {
      drain.cancel();
      clients.undrain();
    }
  }

  private void report(Drain ended) {
    log.atInfo()
        .addKeyValue("notified", ended.notified())
        .addKeyValue("moved", ended.moved())
        .addKeyValue("closed", ended.closed())
        .addKeyValue("left", clients.connections())
        .addKeyValue("took-ms", ended.elapsedMs())
        .log("node.drained");
  }

  private void warnIfTooSlow() {
    long neededMs = pacer.forecastMs(clients.connections());
    long withinMs = Drain.untilClosingMs(drainMs);
    if (neededMs > withinMs) {
      log.atWarn()
          .addKeyValue("clients", clients.connections())
          .addKeyValue("needs-ms", neededMs)
          .addKeyValue("within-ms", withinMs)
          .log("node.drain-too-slow");
    }
  }

  private void awaitDisconnects(Drain begun) {
    try {
      while (clients.connections() > 0
          && !begun.isCancelled()
          && begun.elapsedMs() < drainMs + closeMs) {
        begun.onTick();
        TimeUnit.MILLISECONDS.sleep(Drain.TICK_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
