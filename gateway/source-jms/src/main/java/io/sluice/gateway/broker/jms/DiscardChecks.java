package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.config.ServiceUrl;
import jakarta.jms.Connection;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic examination of the broker's settings, and the log of those that may discard messages. It
 * runs on a separate thread, because the broker may respond late. Any thread.
 */
public final class DiscardChecks {
  private static final Logger log = LoggerFactory.getLogger(DiscardChecks.class);

  /** Maximum number of risks that are logged. */
  private static final int MAX_RISKS = 100;

  /** Examination of a broker's settings. */
  @FunctionalInterface
  public interface Examination {
    /**
     * Returns the risks of topics and patterns in Sluice's syntax; waits for the broker.
     *
     * @param durable those of the topics with a durable subscription
     * @throws Exception any failure of the request, also a refusal by the broker
     */
    List<DiscardRisk> examine(
        Connection connection, Collection<String> topics, Collection<String> durable)
        throws Exception;
  }

  private final Examination examination;
  private final Set<DiscardRisk> known = new HashSet<>();
  private final AtomicBoolean running = new AtomicBoolean();

  /** Connection whose broker has refused an examination, or null. */
  private volatile Connection refusing;

  private volatile boolean refusalLogged;

  /** Result of the latest examination. */
  private volatile List<DiscardRisk> latest = List.of();

  /** Creates checks without a result. */
  public DiscardChecks(Examination examination) {
    this.examination = examination;
  }

  /** Examines the settings once, unless an examination runs or the broker has refused one. */
  public void start(Connection connection, Collection<String> topics, Collection<String> durable) {
    if (connection == refusing || running.getAndSet(true)) {
      return;
    }
    List<String> all = List.copyOf(topics);
    List<String> retained = List.copyOf(durable);
    try {
      BrokerThreads.SYSTEM.start(
          () -> examine(connection, all, retained), "sluice-broker-settings");
    } catch (OutOfMemoryError e) { // no thread can be started
      running.set(false);
    }
  }

  private void examine(Connection connection, List<String> topics, List<String> durable) {
    try {
      List<DiscardRisk> found = examination.examine(connection, topics, durable);
      found.forEach(this::report);
      latest = found.stream().limit(MAX_RISKS).toList();
    } catch (Exception e) {
      refusing = connection;
      latest = List.of(unknown(e));
      if (!refusalLogged) {
        refusalLogged = true;
        log.atInfo()
            .addKeyValue("needs", "permission to manage the broker, and to create temporary queues")
            .addKeyValue("without", "settings that discard messages are not detected")
            .addKeyValue("cause", ServiceUrl.masked(String.valueOf(e)))
            .log("discards.unknown");
      }
    } finally {
      running.set(false);
    }
  }

  private static DiscardRisk unknown(Exception cause) {
    return new DiscardRisk(
        "#",
        "settings",
        "unknown",
        "settings that discard messages are not detected: "
            + ServiceUrl.masked(String.valueOf(cause)));
  }

  /**
   * Returns the result of the latest examination, at most {@value #MAX_RISKS} risks. Any thread.
   */
  public List<DiscardRisk> latest() {
    return latest;
  }

  private synchronized void report(DiscardRisk risk) {
    if (known.size() < MAX_RISKS && known.add(risk)) {
      log.atWarn()
          .addKeyValue("address", risk.address())
          .addKeyValue("setting", risk.setting())
          .addKeyValue("value", risk.value())
          .addKeyValue("effect", risk.effect())
          .log("discards.possible");
    }
  }
}
