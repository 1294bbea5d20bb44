package io.sluice.gateway;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.transport.ClientPorts;
import io.sluice.gateway.transport.Drain;
import io.sluice.gateway.transport.MovePace;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the clients of a node away, and says in the log how it went. Bound to one thread. */
final class SendOff {
  private static final Logger log = LoggerFactory.getLogger(SendOff.class);
  private static final long POLL_MS = 20;

  private final ClientPorts clients;
  private final MovePace pace;
  private final Supplier<String> places;
  private final long drainMs;
  private final long closeMs;

  /**
   * @param pace how fast clients are told to leave
   * @param places where the next one should go, or null for its own addresses; any thread
   */
  SendOff(ClientPorts clients, Config config, MovePace pace, Supplier<String> places) {
    this.clients = clients;
    this.pace = pace;
    this.places = places;
    this.drainMs = config.get(TimeoutSettings.DRAIN).toMillis();
    this.closeMs = config.get(TimeoutSettings.CLOSE).toMillis();
  }

  /** Returns once all clients are gone, or have had all the time there is. */
  void run() {
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
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
