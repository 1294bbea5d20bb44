package io.sluice.gateway.broker.provider.discard;

import io.sluice.gateway.broker.Broker;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.apache.activemq.advisory.AdvisorySupport;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.BrokerInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Advisory messages of ActiveMQ Classic about discards: messages of slow consumers, if the policy
 * has {@code advisoryForDiscardingMessages}, and bridges of a network of brokers. Any thread.
 */
public final class ClassicReports {
  private static final Logger log = LoggerFactory.getLogger(ClassicReports.class);
  private static final String DISCARDS = "ActiveMQ.Advisory.MessageDiscarded.Topic.>";
  private static final String BRIDGES = AdvisorySupport.NETWORK_BRIDGE_TOPIC_PREFIX;
  private static final String STARTED = "started";

  /** Actions for discarded messages, by consumer. */
  private final Map<String, LongConsumer> discards = new ConcurrentHashMap<>();

  /**
   * Bridges by the name of the other broker, true if up; also of earlier connections. A bridge that
   * this connection has not reported yet is down.
   */
  private final Map<String, Boolean> bridges = new ConcurrentHashMap<>();

  /**
   * Opens the consumers of a new connection. A broker that refuses one reports nothing.
   *
   * @param onBridge action that runs when a bridge is lost, and when it is up; also for each bridge
   *     that is up now
   */
  public void open(Connection connection, Runnable onBridge) {
    discards.clear(); // all connections are new
    bridges.replaceAll((broker, up) -> false);
    open(connection, DISCARDS, this::onDiscard);
    open(connection, BRIDGES, report -> onBridge(report, onBridge));
  }

  private void open(Connection connection, String topic, MessageListener listener) {
    try {
      Session session = connection.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
      session.createConsumer(session.createTopic(topic)).setMessageListener(listener);
    } catch (JMSException | RuntimeException e) {
      log.atInfo()
          .addKeyValue("reports", topic)
          .addKeyValue("cause", String.valueOf(e))
          .log("discards.refused");
    }
  }

  /** Registers an action for discarded messages of a consumer, with their sequence numbers. */
  public void add(String consumer, LongConsumer action) {
    discards.put(consumer, action);
  }

  /** Removes the action of a closed consumer. */
  public void remove(String consumer) {
    discards.remove(consumer);
  }

  private void onDiscard(Message report) {
    try {
      String consumer = report.getStringProperty(AdvisorySupport.MSG_PROPERTY_CONSUMER_ID);
      LongConsumer action = consumer == null ? null : discards.get(consumer);
      if (action != null) {
        action.accept(sequenceOf(report));
      }
    } catch (JMSException | RuntimeException e) {
      log.atWarn().setCause(e).log("discards.unreadable");
    }
  }

  private static long sequenceOf(Message report) {
    return report instanceof ActiveMQMessage advisory
            && advisory.getDataStructure() instanceof ActiveMQMessage discarded
        ? discarded.getMessageId().getBrokerSequenceId()
        : Broker.NO_SEQUENCE;
  }

  // The broker reports existing bridges to each new consumer of this topic. A bridge that was down
  // when the connection was opened is not among them until it is up.
  private void onBridge(Message report, Runnable action) {
    try {
      if (report instanceof ActiveMQMessage advisory
          && advisory.getDataStructure() instanceof BrokerInfo other
          && report.propertyExists(STARTED)) {
        boolean up = report.getBooleanProperty(STARTED);
        Boolean before = bridges.put(String.valueOf(other.getBrokerName()), up);
        if (!up || !Boolean.TRUE.equals(before)) {
          log.atLevel(up ? Level.INFO : Level.WARN)
              .addKeyValue("broker", other.getBrokerName())
              .addKeyValue("state", up ? "up" : "down")
              .log("bridge.changed");
          action.run();
        }
      }
    } catch (JMSException | RuntimeException e) {
      log.atWarn().setCause(e).log("discards.unreadable");
    }
  }
}
