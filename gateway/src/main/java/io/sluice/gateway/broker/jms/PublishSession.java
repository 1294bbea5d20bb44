package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.jms.PublishLane.Entry;
import io.sluice.gateway.broker.provider.Credentials;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import jakarta.jms.TransactionRolledBackException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the publishes of one lane in their order over one JMS session. Runs on a thread of its own,
 * which the JMS client may block; completions come on the JMS client's threads.
 *
 * <p>Sends are asynchronous where the provider confirms them by a completion listener. Otherwise
 * the publishes that wait are sent in one transaction. If it is rolled back, they are sent one by
 * one without a transaction: the broker has kept nothing of the first attempt, so nothing comes
 * twice.
 */
final class PublishSession implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(PublishSession.class);

  /**
   * Failures after which the JMS session is replaced. Artemis' client retains each message whose
   * asynchronous send failed until then.
   */
  private static final int MOST_FAILURES = 100;

  /** Publishes in one transaction: so many are sent one by one if it is rolled back. */
  private static final int MOST_BATCH = 100;

  /**
   * Message of ActiveMQ Classic's client in place of a TransactionRolledBackException
   * (XA_RBROLLBACK).
   */
  private static final String CLASSIC_ROLLBACK = "xaErrorCode:100";

  /** Receiver of the ends of publishes. Any thread. */
  interface Outcomes {
    void onPublished(PublishLane lane, Entry entry);

    void onRefused(PublishLane lane, Entry entry, ErrorCode code, String why);

    /** No session can be opened: the connection is unusable. */
    void onUnusable(Connection connection, Throwable cause);

    /** The thread of a session ends. */
    void onEnded();
  }

  private final PublishLane lane;
  private final Connection connection;
  private final Provider provider;
  private final boolean persistent;
  private final Outcomes outcomes;
  private final Map<String, Topic> destinations;
  private final Thread thread = new Thread(this, "sluice-publisher");

  // Used by the thread only.
  private boolean asynchronous;
  private boolean transacted;
  private Session session;
  private MessageProducer producer;

  private volatile int failures;
  private volatile boolean completed;

  PublishSession(
      PublishLane lane,
      Connection connection,
      Provider provider,
      boolean persistent,
      PublishLimits limits,
      Outcomes outcomes) {
    this.lane = lane;
    this.connection = connection;
    this.provider = provider;
    this.persistent = persistent;
    this.outcomes = outcomes;
    this.asynchronous = provider.confirmsAsynchronously();
    this.transacted = !asynchronous;
    this.destinations =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Topic> eldest) {
            return size() > limits.destinations();
          }
        };
    thread.setDaemon(true);
  }

  /** Takes over the lane. */
  void start() {
    lane.attach(this);
    thread.start();
  }

  /** Lets the thread look at its lane again. Any thread. */
  void wake() {
    LockSupport.unpark(thread);
  }

  /** Ends a wait inside the JMS client, where it can be ended. Any thread. */
  void interrupt() {
    thread.interrupt();
  }

  @Override
  public void run() {
    try {
      for (Entry next = lane.take(this); next != null; next = lane.take(this)) {
        publish(next);
      }
    } catch (Throwable e) { // what is in flight is answered when the connection is given up
      log.atError().setCause(e).log("publish.fault");
      outcomes.onUnusable(connection, e);
    } finally {
      boolean ignored = Thread.interrupted(); // it ended a wait, and must not end the closing
      closeSession();
      outcomes.onEnded();
    }
  }

  private void publish(Entry entry) {
    if (failures >= MOST_FAILURES) {
      renew(1); // this one is in flight, and not sent yet
    } else if (asynchronous && asksForTopic(entry)) {
      // A client may take the failure of a send for the answer to its question, also a moment after
      // the listener was called: no session is asked that has such a failure.
      lane.awaitInFlight(this, 1);
      if (failures > 0) {
        closeSession();
      }
    }
    if (!lane.isOwnedBy(this)) {
      return; // it was answered when the lane was taken away
    }
    try {
      open();
    } catch (Throwable e) { // a client that gets no thread or lacks a class throws an Error
      refuse(entry, ErrorCode.BROKER_UNAVAILABLE, "the broker gives no session", e);
      if (lane.isOwnedBy(this)) { // a session that took over may be usable
        outcomes.onUnusable(connection, e);
      }
      return;
    }
    if (asynchronous) {
      sendAsynchronously(entry);
    } else {
      sendBatch(batch(entry));
    }
  }

  private boolean asksForTopic(Entry entry) {
    return provider.asksForTopics() && !destinations.containsKey(entry.publication.topic());
  }

  private void open() throws JMSException {
    if (session != null) {
      return;
    }
    Session opened = transacted ? openTransacted() : openAutomatic();
    try {
      producer = opened.createProducer(null);
      producer.setDeliveryMode(persistent ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
      session = opened;
    } catch (Throwable e) {
      close(opened);
      throw e;
    }
    failures = 0;
    completed = false;
  }

  private Session openAutomatic() throws JMSException {
    return connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
  }

  // A broker may forbid transactions: then each publish waits for its own answer.
  private Session openTransacted() throws JMSException {
    try {
      return connection.createSession(true, Session.SESSION_TRANSACTED);
    } catch (JMSException e) {
      Session opened = openAutomatic();
      transacted = false;
      log.atWarn()
          .addKeyValue("cause", Credentials.masked(String.valueOf(e)))
          .log("publish.untransacted");
      return opened;
    }
  }

  /** Closes the JMS session when no more are in flight; the next publish opens another one. */
  private void renew(int inFlight) {
    lane.awaitInFlight(this, inFlight);
    closeSession();
  }

  private void closeSession() {
    Session old = session;
    session = null;
    producer = null;
    if (old != null) {
      close(old);
    }
  }

  private static void close(Session old) {
    try {
      old.close();
    } catch (Throwable e) {
      log.atDebug().setCause(e).log("a publishing session did not close");
    }
  }

  private void sendAsynchronously(Entry entry) {
    try {
      Topic topic = destination(entry);
      provider.send(producer, topic, message(entry.publication), new Completion(entry));
    } catch (UnsupportedOperationException e) {
      if (completed) {
        onFailed(entry, e);
      } else {
        asynchronous = false;
        transacted = true;
        renewFor(entry);
      }
    } catch (Throwable e) {
      onFailed(entry, e);
    }
  }

  // Nothing was sent on this JMS session yet, so only this publish is in flight.
  private void renewFor(Entry entry) {
    closeSession();
    publish(entry);
  }

  // The publishes that were sent before end first; a session that failed once is not trusted again.
  private void onFailed(Entry entry, Throwable cause) {
    refuse(entry, cause);
    if (!isRefusal(cause)) {
      renew(0);
    }
  }

  private final class Completion implements CompletionListener {
    private final Entry entry;

    Completion(Entry entry) {
      this.entry = entry;
    }

    @Override
    public void onCompletion(Message message) {
      completed = true;
      outcomes.onPublished(lane, entry);
    }

    @Override
    public void onException(Message message, Exception cause) {
      onAsynchronousFailure();
      refuse(entry, cause);
    }
  }

  private synchronized void onAsynchronousFailure() {
    completed = true;
    failures++;
  }

  private List<Entry> batch(Entry first) {
    List<Entry> batch = new ArrayList<>();
    for (Entry next = first; next != null; next = mayGrow(batch) ? lane.poll(this) : null) {
      batch.add(next);
    }
    return batch;
  }

  private boolean mayGrow(List<Entry> batch) {
    return transacted && batch.size() < MOST_BATCH;
  }

  private void sendBatch(List<Entry> batch) {
    Throwable failure = sendAndCommit(batch);
    if (failure == null) {
      batch.forEach(entry -> outcomes.onPublished(lane, entry));
    } else if (failure instanceof RolledBack) {
      sendOneByOne(batch);
    } else {
      batch.forEach(entry -> refuse(entry, failure));
    }
  }

  // Without a transaction, because only a send of its own has a failure of its own.
  private void sendOneByOne(List<Entry> batch) {
    closeSession();
    transacted = false;
    batch.forEach(this::sendAlone);
    closeSession();
    transacted = true;
  }

  // A lane that was taken from this session has answered its publishes: they are not sent any more.
  private void sendAlone(Entry entry) {
    if (!lane.isOwnedBy(this)) {
      return;
    }
    try {
      open();
    } catch (Throwable e) {
      refuse(entry, ErrorCode.BROKER_UNAVAILABLE, "the broker gives no session", e);
      return;
    }
    sendBatch(List.of(entry));
  }

  /** The failure of a transaction of which the broker has kept nothing. */
  private static final class RolledBack extends Exception {
    private static final long serialVersionUID = 1;

    RolledBack(Throwable cause) {
      super(cause);
    }
  }

  /** Returns null, {@link RolledBack}, or a failure that leaves open what the broker has taken. */
  private Throwable sendAndCommit(List<Entry> batch) {
    try {
      for (Entry entry : batch) {
        producer.send(destination(entry), message(entry.publication));
      }
    } catch (Throwable e) {
      return rolledBack(e);
    }
    try {
      if (transacted) {
        session.commit();
      }
      return null;
    } catch (Throwable e) {
      if (isRollback(e)) {
        return rolledBack(e);
      }
      closeSession();
      return e;
    }
  }

  // Any other failure of a commit leaves open what the broker has taken.
  private static boolean isRollback(Throwable failure) {
    return isRefusal(failure)
        || failure instanceof TransactionRolledBackException
        || String.valueOf(failure.getMessage()).contains(CLASSIC_ROLLBACK);
  }

  private Throwable rolledBack(Throwable cause) {
    try {
      if (transacted) {
        session.rollback();
      }
      if (!isRefusal(cause)) {
        closeSession();
      }
    } catch (Throwable e) { // a session that ends without a commit is rolled back, too
      closeSession();
    }
    return transacted ? new RolledBack(cause) : cause;
  }

  private Topic destination(Entry entry) throws JMSException {
    String name = entry.publication.topic();
    Topic topic = destinations.get(name);
    if (topic == null) {
      topic = provider.topic(session, provider.wildcards().toProvider(name));
      destinations.put(name, topic);
    }
    return topic;
  }

  private Message message(Publication publication) throws JMSException {
    Message message;
    if (publication.kind() == PayloadKind.BYTES) {
      BytesMessage bytes = session.createBytesMessage();
      bytes.writeBytes(publication.payload());
      message = bytes;
    } else {
      message =
          session.createTextMessage(new String(publication.payload(), StandardCharsets.UTF_8));
    }
    for (Map.Entry<String, Object> property : publication.properties().entrySet()) {
      message.setObjectProperty(property.getKey(), property.getValue());
    }
    return message;
  }

  private static boolean isRefusal(Throwable cause) {
    return cause instanceof InvalidDestinationException || cause instanceof JMSSecurityException;
  }

  private void refuse(Entry entry, Throwable cause) {
    if (cause instanceof InvalidDestinationException) {
      outcomes.onRefused(lane, entry, ErrorCode.UNKNOWN_TOPIC, "the broker has no such topic");
    } else if (cause instanceof JMSSecurityException) {
      outcomes.onRefused(lane, entry, ErrorCode.FORBIDDEN, "the broker forbids it");
    } else {
      refuse(entry, ErrorCode.PUBLISH_FAILED, "the broker did not take it", cause);
    }
  }

  private void refuse(Entry entry, ErrorCode code, String why, Throwable cause) {
    String said = Credentials.masked(cause.getMessage());
    outcomes.onRefused(lane, entry, code, why + ": " + said);
  }
}
