package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.config.ServiceUrl;
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
 * Durable subscriptions of the node at the broker. Checks after a connect whether the broker has
 * retained their messages, and removes subscriptions that are no longer configured. Bound to the
 * control thread.
 */
final class DurableSubscriptions {
  private static final Logger log = LoggerFactory.getLogger(DurableSubscriptions.class);

  private final Provider provider;
  private final DurableMarker marker;

  /** True if a marker was sent over the current connection. */
  private boolean marked;

  /** Subscriptions to be removed, and actions that run afterwards. */
  private final Map<String, Runnable> obsolete = new LinkedHashMap<>();

  DurableSubscriptions(Provider provider, DurableMarker marker) {
    this.provider = provider;
    this.marker = marker;
  }

  /** Removes a durable subscription after the next connect. */
  void removeLater(String name, Runnable done) {
    obsolete.put(name, done);
  }

  /**
   * Checks the subscriptions of a new connection; waits for the broker.
   *
   * @return false if the broker does not respond
   */
  boolean onConnected(BrokerConnection connection, List<DurableInterest> durable) {
    boolean responsive = attempt("unsubscribe", connection, () -> removeObsolete(connection.jms()));
    if (responsive && durable.isEmpty()) {
      return attempt("marker", connection, () -> marker.remove(connection.jms()));
    }
    durable.forEach(interest -> interest.setRetained(RetainedMessages.NONE));
    return responsive
        && attempt(
            "marker",
            connection,
            () -> {
              marked = false;
              RetainedMessages retained = marker.find(connection.jms());
              durable.forEach(interest -> interest.setRetained(retained));
            });
  }

  /** Sends a new marker when the losses of all interests have been recorded. */
  void updateMarker(BrokerConnection connection, List<DurableInterest> durable) {
    if (!marked
        && !durable.isEmpty()
        && durable.stream().allMatch(DurableInterest::isLossRecorded)) {
      attempt(
          "marker",
          connection,
          () -> {
            marker.replace(connection.jms());
            marked = true;
          });
    }
  }

  private void removeObsolete(Connection connection) throws JMSException {
    if (obsolete.isEmpty()) {
      return;
    }
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      for (Entry<String, Runnable> each : List.copyOf(obsolete.entrySet())) {
        DurableMarker.unsubscribe(provider, session, each.getKey(), each.getKey());
        obsolete.remove(each.getKey());
        each.getValue().run();
        log.atInfo().addKeyValue("topic", each.getKey()).log("subscription.removed");
      }
    }
  }

  /** Step whose failure does not affect other steps. */
  private interface Step {
    void run() throws JMSException, IOException;
  }

  private static boolean attempt(String name, BrokerConnection connection, Step step) {
    try {
      step.run();
    } catch (jakarta.jms.IllegalStateException e) { // the broker still has its former consumer
      log.atDebug()
          .addKeyValue("step", name)
          .setCause(e)
          .log("step is repeated after the next connect");
      return false;
    } catch (JMSException | IOException | RuntimeException e) {
      if (!connection.isResponsive()) {
        return false;
      }
      log.atWarn()
          .addKeyValue("step", name)
          .addKeyValue("cause", ServiceUrl.masked(String.valueOf(e)))
          .log("durable.failed");
    }
    return true;
  }
}
