package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Kept;
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
 * Tells whether a broker still has what it had when the node was there last. JMS does not say
 * whether a durable subscription was found or made, and one that was made anew has lost what was
 * published in between. So the node leaves two messages for itself in a durable subscription of its
 * own, one of them not persistent, and looks for them when it comes back. They stay there until
 * others have taken their place: the node may be killed at any moment. Bound to the control thread.
 */
final class DurableMarker {
  private static final Logger log = LoggerFactory.getLogger(DurableMarker.class);

  private static final String SUBSCRIPTION = "sluice-keepsake";

  /** How long the broker may take to deliver what was just sent. */
  private static final long PATIENCE_MS = 10_000;

  private final Path file;
  private final Provider provider;
  private final String topic;

  /** The last of what the latest search has found, whose session is still open; or null. */
  private Message found;

  private Session search;

  /**
   * Creates one.
   *
   * @param file where the node remembers what it has left at the broker
   * @param topic which no client can reach and no other node uses, in our spelling
   */
  DurableMarker(Path file, Provider provider, String topic) {
    this.file = file;
    this.provider = provider;
    this.topic = topic;
  }

  /** Looks for what was left. */
  Kept find(Connection connection) throws JMSException, IOException {
    String left = Files.exists(file) ? Files.readString(file) : "nothing";
    found = null; // the connection of an earlier search is gone, and its session with it
    search = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
    try {
      return find(search, topic(search), left);
    } catch (JMSException | RuntimeException e) {
      search.close();
      throw e;
    }
  }

  /**
   * Leaves something new, and takes away what was found. Not before it is safe what the absence of
   * the old one meant.
   */
  void leave(Connection connection) throws JMSException, IOException {
    String next = UUID.randomUUID().toString();
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      send(session, topic(session), next);
    }
    write(next);
    if (found != null) {
      found.acknowledge(); // and all before it
      search.close();
      found = null;
    }
  }

  /** Takes the subscription itself away: there is nothing durable any more. */
  void remove(Connection connection) throws JMSException, IOException {
    if (Files.exists(file)) {
      try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
        unsubscribe(session, SUBSCRIPTION);
      }
      Files.delete(file);
    }
  }

  /** Takes a durable subscription away, if it is there. */
  static void unsubscribe(Session session, String name) throws JMSException {
    try {
      session.unsubscribe(name);
    } catch (InvalidDestinationException e) {
      log.atDebug().addKeyValue("subscription", name).log("there is none to take away");
    }
  }

  private Topic topic(Session session) throws JMSException {
    return provider.topic(session, provider.wildcards().toProvider(topic));
  }

  // What is sent now comes behind what was there; in which order the two kinds come is unknown.
  private Kept find(Session session, Topic own, String left) throws JMSException {
    String end = UUID.randomUUID().toString();
    boolean store = false;
    boolean memory = false;
    MessageConsumer consumer = session.createDurableSubscriber(own, SUBSCRIPTION);
    send(session, own, end);
    for (int ends = 0; ends < 2; ) {
      Message message = consumer.receive(PATIENCE_MS);
      if (message == null) {
        throw new JMSException("the broker does not deliver what it was sent");
      }
      String text = message instanceof TextMessage known ? known.getText() : "";
      boolean persistent = message.getJMSDeliveryMode() == DeliveryMode.PERSISTENT;
      ends += text.equals(end) ? 1 : 0;
      store |= text.equals(left) && persistent;
      memory |= text.equals(left) && !persistent;
      found = message;
    }
    return new Kept(store, store && memory);
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
