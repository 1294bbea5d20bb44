package io.sluice.gateway.broker.provider.discard;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.config.ServiceUrl;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
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
  private static final String TOPIC_DISCARDS =
      AdvisorySupport.MESSAGE_DISCAREDED_TOPIC_PREFIX + "Topic.";
  private static final String DISCARDS = TOPIC_DISCARDS + ">";
  private static final String BRIDGES = AdvisorySupport.NETWORK_BRIDGE_TOPIC_PREFIX;
  private static final String STARTED = "started";

  /** Maximum number of topics whose discarded messages are counted. */
  private static final int MAX_TOPICS = 100;

  /** Actions for discarded messages, by consumer. */
  private final Map<String, LongConsumer> discards = new ConcurrentHashMap<>();

  /**
   * Bridges by the name of the other broker, true if up; also of earlier connections. A bridge that
   * this connection has not reported yet is down.
   */
  private final Map<String, Boolean> bridges = new ConcurrentHashMap<>();

  /** Numbers of discarded messages by topic. */
  private final Map<String, AtomicLong> discarded = new ConcurrentHashMap<>();

  /** Refused topics of reports. */
  private final Map<String, String> refused = new ConcurrentHashMap<>();

  /** Returns reported discards, bridges that are down and refused reports. */
  public List<DiscardRisk> findings() {
    List<DiscardRisk> findings = new ArrayList<>();
    discarded.forEach(
        (topic, count) ->
            findings.add(
                new DiscardRisk(
                    topic,
                    "pendingMessageLimitStrategy",
                    count + " messages discarded",
                    "clients of a slow node receive a gap")));
    bridges.forEach(
        (broker, up) -> {
          if (!up) {
            findings.add(
                new DiscardRisk(
                    broker, "network bridge", "down", "messages of other brokers are missing"));
          }
        });
    refused.forEach(
        (reports, cause) ->
            findings.add(
                new DiscardRisk(
                    reports, "advisories", "refused", "losses without a gap: " + cause)));
    if (findings.isEmpty()) {
      findings.add(
          new DiscardRisk(
              ">",
              "pendingMessageLimitStrategy",
              "unknown",
              "Classic reports discarded messages only with advisoryForDiscardingMessages"));
    }
    return findings;
  }

  /**
   * Opens the consumers of a new connection. A broker that refuses one reports nothing.
   *
   * @param onBridge action that runs when a bridge is lost, and when it is up; also for each bridge
   *     that is up now
   */
  public void open(Connection connection, Runnable onBridge) {
    discards.clear(); // all connections are new
    refused.clear();
    bridges.replaceAll((broker, up) -> false);
    open(connection, DISCARDS, this::onDiscard);
    open(connection, BRIDGES, report -> onBridge(report, onBridge));
  }

  private void open(Connection connection, String topic, MessageListener listener) {
    try {
      Session session = connection.createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
      session.createConsumer(session.createTopic(topic)).setMessageListener(listener);
    } catch (JMSException | RuntimeException e) {
      refused.put(topic, ServiceUrl.masked(String.valueOf(e)));
      log.atInfo()
          .addKeyValue("reports", topic)
          .addKeyValue("cause", ServiceUrl.masked(String.valueOf(e)))
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
        count(report);
        action.accept(sequenceOf(report));
      }
    } catch (JMSException | RuntimeException e) {
      log.atWarn().setCause(e).log("discards.unreadable");
    }
  }

  private void count(Message report) {
    if (report instanceof ActiveMQMessage advisory) {
      String topic = advisory.getDestination().getPhysicalName().substring(TOPIC_DISCARDS.length());
      if (discarded.size() < MAX_TOPICS || discarded.containsKey(topic)) {
        discarded.computeIfAbsent(topic, any -> new AtomicLong()).incrementAndGet();
      }
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
