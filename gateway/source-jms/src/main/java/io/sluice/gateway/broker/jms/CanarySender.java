package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sender and receiver of canaries over one set of connections, until these are lost. Runs on a
 * thread that may block in the JMS client; no other thread waits for it. Canaries return on threads
 * of the JMS client, as messages do.
 */
final class CanarySender implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(CanarySender.class);
  private static final String NUMBER = "number";

  /** Index of the connection whose canaries have a second consumer. */
  private static final int VERIFIED = 0;

  /** Intervals before the next attempt after a refusal, which rarely changes. */
  private static final int REFUSED_INTERVALS = 12;

  /**
   * Limits the number of canaries queued at the broker. It is long, because the broker measures it
   * with a different clock, and expired canaries never return.
   */
  private static final long TIME_TO_LIVE_MS = 300_000;

  private final Canary canary;
  private final Provider provider;
  private final List<BrokerConnection> connections;
  private final Canary.Rounds rounds;
  private final long intervalMs;

  /** One link per connection; null if it is not open. Used by the thread that runs this. */
  private final Link[] links;

  private volatile boolean ended;

  CanarySender(
      Canary canary,
      Provider provider,
      List<BrokerConnection> connections,
      Canary.Rounds rounds,
      long intervalMs) {
    this.canary = canary;
    this.provider = provider;
    this.connections = List.copyOf(connections);
    this.rounds = rounds;
    this.intervalMs = intervalMs;
    this.links = new Link[connections.size()];
  }

  @Override
  public void run() {
    try {
      while (!ended) {
        Thread.sleep(sendRound() ? intervalMs : REFUSED_INTERVALS * intervalMs);
      }
    } catch (InterruptedException e) {
      // The connections are lost, and their sessions with them.
    }
  }

  /** Stops after the loss of the connections, which their owner closes. Any thread. */
  void end() {
    ended = true;
  }

  /** Returns the longest idle time of a connection, in milliseconds. Any thread. */
  long idleMs() {
    return rounds.idleMs(connection -> connections.get(connection).arrivalNs());
  }

  /** Sends a canary over each connection. Returns false if the broker refuses canaries. */
  private boolean sendRound() {
    try {
      long number = canary.nextNumber();
      rounds.begin(number, System.nanoTime());
      openLinks();
      for (int i = canary.identities().missing(); i > 0; i--) {
        send(canary.nextNumber(), VERIFIED); // belongs to no round
      }
      for (int i = 0; i < links.length; i++) {
        send(number, i);
      }
      return true;
    } catch (JMSException | RuntimeException e) {
      closeLinks(); // a session that failed once is not used again
      return !isRefusal(e);
    } catch (Error e) { // the node lacks a thread, memory or a class: not the broker's failure
      closeLinks();
      rounds.clear();
      canary.onRefused(this, e.toString());
      return true;
    }
  }

  private void send(long number, int link) throws JMSException {
    String id = links[link].send(number, provider);
    if (link == VERIFIED) {
      canary.identities().onSent(number, id);
    }
  }

  private void openLinks() throws JMSException {
    for (int i = 0; i < links.length; i++) {
      if (links[i] != null && links[i].isBroken()) {
        closeLink(i);
      }
      if (links[i] == null) {
        links[i] = openLink(i);
      }
    }
  }

  private void closeLinks() {
    for (int i = 0; i < links.length; i++) {
      closeLink(i);
    }
  }

  private void closeLink(int index) {
    if (links[index] != null) {
      links[index].close();
      links[index] = null;
    }
  }

  private boolean isRefusal(Exception failure) {
    if (ended || !connections.stream().allMatch(BrokerConnection::isResponsive)) {
      log.atDebug().setCause(failure).log("canary was not sent");
      return false;
    }
    rounds.clear();
    canary.onRefused(this, String.valueOf(failure.getMessage()));
    return true;
  }

  /** Opens the sessions of one connection. May block in the JMS client. */
  private Link openLink(int index) throws JMSException {
    Connection connection = connections.get(index).jms();
    Session receiving = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    Session sending = null;
    Session witness = null;
    try {
      String name = provider.wildcards().toProvider(canary.topic(index));
      Topic topic = provider.topic(receiving, name);
      MessageConsumer consumer = receiving.createConsumer(topic);
      consumer.setMessageListener(message -> onMessage(index, message));
      sending = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageProducer producer = sending.createProducer(topic);
      producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
      producer.setTimeToLive(TIME_TO_LIVE_MS);
      witness = index == VERIFIED ? openWitness(name) : null;
      return new Link(receiving, consumer, sending, producer, witness);
    } catch (Throwable e) {
      closeQuietly(receiving);
      closeQuietly(sending);
      closeQuietly(witness);
      throw e;
    }
  }

  /** Opens the second consumer of a topic, on another connection if there is one. */
  private Session openWitness(String name) throws JMSException {
    BrokerConnection other = connections.get((VERIFIED + 1) % connections.size());
    Session session = other.jms().createSession(false, Session.AUTO_ACKNOWLEDGE);
    try {
      session.createConsumer(provider.topic(session, name)).setMessageListener(this::onWitnessed);
      return session;
    } catch (Throwable e) {
      closeQuietly(session);
      throw e;
    }
  }

  private void onWitnessed(Message message) {
    try {
      canary
          .identities()
          .onReceived(1, message.getLongProperty(NUMBER), provider.messageId(message));
    } catch (JMSException | NumberFormatException e) {
      log.atDebug().setCause(e).log("message on a canary topic is not a canary");
    }
  }

  private void onMessage(int connection, Message message) {
    try {
      long number = message.getLongProperty(NUMBER);
      long sequence = provider.sequence(message);
      connections.get(connection).onCanary(sequence);
      Canary.Returned round = rounds.onReturned(connection, number, sequence);
      if (connection == VERIFIED) {
        canary.identities().onReceived(0, number, provider.messageId(message));
      }
      if (round != null) {
        canary.onReturned(this, round);
      }
    } catch (JMSException | NumberFormatException e) {
      log.atDebug().setCause(e).log("message on a canary topic is not a canary");
    }
  }

  private static void closeQuietly(Session session) {
    if (session == null) {
      return;
    }
    try {
      session.close();
    } catch (Throwable e) { // the broker closes it with the connection
      log.atDebug().setCause(e).log("session of canaries did not close");
    }
  }

  /**
   * Two sessions on one connection, because a session that delivers permits no use by other
   * threads.
   *
   * @param witness session of the second consumer, or null
   */
  private record Link(
      Session receiving,
      MessageConsumer consumer,
      Session sending,
      MessageProducer producer,
      Session witness) {

    /** Sends one canary and returns its id. May block in the JMS client. */
    String send(long number, Provider provider) throws JMSException {
      Message message = sending.createMessage();
      message.setLongProperty(NUMBER, number);
      provider.identify(message);
      producer.send(message);
      return provider.messageId(message);
    }

    /** Returns whether the broker has closed only the consumer. */
    boolean isBroken() {
      try {
        return consumer.getMessageListener() == null;
      } catch (JMSException | RuntimeException e) {
        return true;
      }
    }

    void close() {
      closeQuietly(receiving);
      closeQuietly(sending);
      closeQuietly(witness);
    }
  }
}
