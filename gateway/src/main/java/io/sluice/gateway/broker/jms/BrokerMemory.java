package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Kept;
import io.sluice.gateway.broker.provider.Credentials;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the broker keeps for the node while it is away: learns whether it still has it, and takes
 * away what the node no longer wants. Bound to the control thread.
 */
final class BrokerMemory {
  private static final Logger log = LoggerFactory.getLogger(BrokerMemory.class);

  private final DurableMarker marker;

  /** Whether it is where the node will look for it. */
  private boolean left;

  /** Subscriptions that are to be taken away, and what to do then. */
  private final Map<String, Runnable> unwanted = new LinkedHashMap<>();

  BrokerMemory(DurableMarker marker) {
    this.marker = marker;
  }

  /** The next connection takes a durable subscription away. */
  void forget(String name, Runnable done) {
    unwanted.put(name, done);
  }

  /**
   * The node is connected.
   *
   * @return false if the broker is gone again
   */
  boolean comeBack(BrokerConnection connection, List<DurableInterest> durable) {
    boolean there = attempt("unsubscribe", connection, () -> forgetUnwanted(connection.jms()));
    if (there && durable.isEmpty()) {
      return attempt("marker", connection, () -> marker.remove(connection.jms()));
    }
    durable.forEach(interest -> interest.kept(Kept.NOTHING));
    return there
        && attempt(
            "marker",
            connection,
            () -> {
              left = false;
              Kept kept = marker.find(connection.jms());
              durable.forEach(interest -> interest.kept(kept));
            });
  }

  /** All interests stand. */
  void remember(BrokerConnection connection, List<DurableInterest> durable) {
    if (!left && !durable.isEmpty() && durable.stream().allMatch(DurableInterest::isRemembered)) {
      attempt(
          "marker",
          connection,
          () -> {
            marker.leave(connection.jms());
            left = true;
          });
    }
  }

  private void forgetUnwanted(Connection connection) throws JMSException {
    if (unwanted.isEmpty()) {
      return;
    }
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      for (Entry<String, Runnable> each : List.copyOf(unwanted.entrySet())) {
        DurableMarker.unsubscribe(session, each.getKey());
        unwanted.remove(each.getKey());
        each.getValue().run();
        log.atInfo().addKeyValue("topic", each.getKey()).log("subscription.removed");
      }
    }
  }

  /** What may fail without harm to the rest. */
  private interface Step {
    void run() throws JMSException, IOException;
  }

  private static boolean attempt(String what, BrokerConnection connection, Step step) {
    try {
      step.run();
    } catch (jakarta.jms.IllegalStateException e) { // the broker has not let go of it yet
      log.atDebug().addKeyValue("step", what).setCause(e).log("tried again");
      return false;
    } catch (JMSException | IOException | RuntimeException e) {
      if (!connection.answers()) {
        return false;
      }
      log.atWarn()
          .addKeyValue("step", what)
          .addKeyValue("cause", Credentials.masked(String.valueOf(e)))
          .log("durable.failed");
    }
    return true;
  }
}
