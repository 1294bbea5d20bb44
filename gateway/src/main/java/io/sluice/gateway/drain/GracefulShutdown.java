package io.sluice.gateway.drain;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Graceful shutdown of a node's clients: drains their connections and logs the result. The calling
 * thread is the only ticker of the {@link Drain}. Bound to one thread.
 */
public final class GracefulShutdown {
  /** Clients of the node. For any thread. */
  public interface Clients {
    int connections();

    /** Rejects further clients and begins to drain the connected ones. */
    Drain drain(long drainMs, DrainPacer pace, Supplier<String> places);
  }

  /**
   * Time limits of a shutdown.
   *
   * @param drainMs for notifying and closing the clients
   * @param closeMs for the answers to the last close frames
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
  private final DrainPacer pace;
  private final Supplier<String> places;
  private final long drainMs;
  private final long closeMs;

  /**
   * @param pace how fast clients are told to leave
   * @param places where the next one should go, or null for its own addresses; any thread
   */
  public GracefulShutdown(
      Clients clients, Options options, DrainPacer pace, Supplier<String> places) {
    this.clients = clients;
    this.pace = pace;
    this.places = places;
    this.drainMs = options.drainMs();
    this.closeMs = options.closeMs();
  }

  /** Returns once all clients are gone, or have had all the time there is. */
  public void run() {
    log.atInfo()
        .addKeyValue("clients", clients.connections())
        .addKeyValue("within-ms", drainMs)
        .log("node.draining");
    warnIfTooSlow();
    Drain drain = clients.drain(drainMs, pace, places);
    awaitNobody(drain);
    log.atInfo()
        .addKeyValue("told", drain.told())
        .addKeyValue("moved", drain.moved())
        .addKeyValue("closed", drain.closed())
        .addKeyValue("left", clients.connections())
        .addKeyValue("took-ms", drain.elapsedMs())
        .log("node.drained");
  }

  private void warnIfTooSlow() {
    long neededMs = pace.forecastMs(clients.connections());
    long withinMs = Drain.untilClosingMs(drainMs);
    if (neededMs > withinMs) {
      log.atWarn()
          .addKeyValue("clients", clients.connections())
          .addKeyValue("needs-ms", neededMs)
          .addKeyValue("within-ms", withinMs)
          .log("node.drain-too-slow");
    }
  }

  private void awaitNobody(Drain drain) {
    try {
      while (clients.connections() > 0 && drain.elapsedMs() < drainMs + closeMs) {
        drain.onTick();
        TimeUnit.MILLISECONDS.sleep(Drain.TICK_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
