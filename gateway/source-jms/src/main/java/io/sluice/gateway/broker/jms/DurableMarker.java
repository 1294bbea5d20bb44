package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marker at the broker that reveals whether it retained messages since the last connection. Bound
 * to the control thread.
 *
 * <p>JMS does not report whether a durable subscription was found or created, and a new one has
 * lost earlier messages. Therefore the node sends two messages to a separate durable subscription,
 * one of them non-persistent, and searches for them after a reconnect. They remain there until new
 * ones have replaced them, because the node may be killed at any time.
 */
final class DurableMarker {
  private static final Logger log = LoggerFactory.getLogger(DurableMarker.class);

  private static final String SUBSCRIPTION = "sluice-keepsake";

  /** Timeout for the delivery of a message that was just sent. */
  private static final long TIMEOUT_MS = 10_000;

  private final Path file;
  private final Provider provider;
  private final String topic;

  /** Last message that the latest search has found, whose session is still open; or null. */
  private Message found;

  private Session search;

  /**
   * Creates an instance without a connection.
   *
   * @param file file with the identity of the current marker
   * @param topic topic for this node only, inaccessible to clients, in Sluice's syntax
   */
  DurableMarker(Path file, Provider provider, String topic) {
    this.file = file;
    this.provider = provider;
    this.topic = topic;
  }

  /** Searches for the marker; waits for the broker. */
  RetainedMessages find(Connection connection) throws JMSException, IOException {
    String marker = Files.exists(file) ? Files.readString(file) : "none";
    found = null; // the connection of an earlier search is lost, and its session with it
    search = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
    try {
      return find(search, topic(search), marker);
    } catch (JMSException | RuntimeException e) {
      search.close();
      throw e;
    }
  }

  /**
   * Sends a new marker and removes the former one; waits for the broker. Called only after the loss
   * that the absence of the former one implies has been recorded.
   */
  void replace(Connection connection) throws JMSException, IOException {
    String next = UUID.randomUUID().toString();
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      send(session, topic(session), next);
    }
    write(next);
    if (found != null) {
      found.acknowledge(); // cumulative
      search.close();
      found = null;
    }
  }

  /** Removes the subscription of the marker, because no durable interest remains. */
  void remove(Connection connection) throws JMSException, IOException {
    if (Files.exists(file)) {
      try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
        unsubscribe(provider, session, topic, SUBSCRIPTION);
      }
      Files.delete(file);
    }
  }

  /**
   * Removes a durable subscription if it exists.
   *
   * @param topic its topic or pattern, in Sluice's syntax
   */
  static void unsubscribe(Provider provider, Session session, String topic, String name)
      throws JMSException {
    try {
      Topic own = provider.topic(session, provider.wildcards().toProvider(topic));
      provider.unsubscribe(session, own, name);
    } catch (InvalidDestinationException e) {
      log.atDebug().addKeyValue("subscription", name).log("subscription does not exist");
    }
  }

  private Topic topic(Session session) throws JMSException {
    return provider.topic(session, provider.wildcards().toProvider(topic));
  }

  // Messages sent now arrive after existing ones of their kind. The order of the kinds is
  // undefined.
  private RetainedMessages find(Session session, Topic own, String marker) throws JMSException {
    String end = UUID.randomUUID().toString();
    boolean persistentFound = false;
    boolean nonPersistentFound = false;
    MessageConsumer consumer =
        session.createDurableSubscriber(own, provider.durableName(SUBSCRIPTION));
    send(session, own, end);
    for (int ends = 0; ends < 2; ) {
      Message message = consumer.receive(TIMEOUT_MS);
      if (message == null) {
        throw new JMSException(
            "the broker did not deliver the marker within " + TIMEOUT_MS + " ms");
      }
      String text = message instanceof TextMessage sent ? sent.getText() : "";
      boolean persistent = message.getJMSDeliveryMode() == DeliveryMode.PERSISTENT;
      ends += text.equals(end) ? 1 : 0;
      persistentFound |= text.equals(marker) && persistent;
      nonPersistentFound |= text.equals(marker) && !persistent;
      found = message;
    }
    return new RetainedMessages(persistentFound, persistentFound && nonPersistentFound);
  }

  private static void send(Session session, Topic own, String text) throws JMSException {
    try (MessageProducer producer = session.createProducer(own)) {
      for (int mode : new int[] {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT}) {
        producer.send(
            session.createTextMessage(text),
            mode,
            Message.DEFAULT_PRIORITY,
            Message.DEFAULT_TIME_TO_LIVE);
      }
    }
  }

  private void write(String text) throws IOException {
    Path whole = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(whole, text, StandardCharsets.UTF_8);
    try (FileChannel written = FileChannel.open(whole, StandardOpenOption.WRITE)) {
      written.force(true);
    }
    Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
