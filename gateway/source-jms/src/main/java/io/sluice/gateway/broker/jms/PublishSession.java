package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.jms.PublishLane.Entry;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TransactionRolledBackException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sender of the publishes of one lane, in order, over one JMS session. Runs on a separate thread,
 * which the JMS client may block; completions arrive on the JMS client's threads.
 *
 * <p>Sends are asynchronous if the provider confirms them by a completion listener. Otherwise the
 * queued publishes are sent in one transaction. If it is rolled back, they are sent one by one
 * without a transaction. This causes no duplicates, because the broker has discarded the first
 * attempt.
 */
final class PublishSession implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(PublishSession.class);

  /**
   * Failures after which the JMS session is replaced. Artemis' client retains each message whose
   * asynchronous send failed until then.
   */
  private static final int MAX_FAILURES = 100;

  /** Maximum publishes in one transaction, which are sent one by one if it is rolled back. */
  private static final int MAX_BATCH = 64;

  /**
   * Message of ActiveMQ Classic's client instead of a TransactionRolledBackException
   * (XA_RBROLLBACK).
   */
  private static final String CLASSIC_ROLLBACK = "xaErrorCode:100";

  /** Publishes in flight from which on their confirmations are requested. */
  private static final int MIN_FLUSHED = 16;

  private final PublishLane lane;
  private final Connection connection;
  private final Provider provider;
  private final JmsPublisher publisher;
  private final MessageComposer composer;
  private final Thread thread;

  // Used by the thread only.
  private boolean asynchronous;
  private boolean transacted;
  private Session session;
  private MessageProducer producer;

  /** The send that the client is executing; null between two sends. */
  private volatile Sending sending;

  private volatile int failures;
  private volatile boolean completed;

  /** True while a request for confirmations is unanswered, or the provider has none. */
  private volatile boolean flushing;

  /** True if confirmations are requested although few publishes are in flight. */
  private volatile boolean due;

  PublishSession(
      PublishLane lane,
      Connection connection,
      Provider provider,
      boolean persistent,
      PublishLimits limits,
      JmsPublisher publisher) {
    this.lane = lane;
    this.connection = connection;
    this.provider = provider;
    this.publisher = publisher;
    this.asynchronous = provider.confirmsAsynchronously();
    this.transacted = !asynchronous;
    this.composer = new MessageComposer(provider, persistent, limits.destinations());
    this.thread = new Thread(provider.inContext(this), "sluice-publisher");
    thread.setDaemon(true);
  }

  /** Takes ownership of the lane and starts the thread. */
  void start() {
    lane.attach(this);
    thread.start();
  }

  /** Wakes the thread, which then polls its lane. Any thread. */
  void wake() {
    LockSupport.unpark(thread);
  }

  /** Requests the confirmations of the publishes in flight. Any thread. */
  void requestConfirmations() {
    if (!flushing) {
      due = true;
      wake();
    }
  }

  /**
   * Returns the publish of which the broker blocks the sending for {@code limitNs}; null if there
   * is none. Any thread.
   */
  Entry stuck(long nowNs, long limitNs) {
    Sending current = sending;
    return current != null && nowNs - current.sinceNs >= limitNs && isBlocked(current)
        ? current.entry
        : null;
  }

  private boolean isBlocked(Sending current) {
    try {
      return provider.isBlocked(current.session, current.destination, current.entry.size)
          && current == sending;
    } catch (JMSException | RuntimeException e) {
      return false; // the send fails, too
    }
  }

  private record Sending(Entry entry, Session session, Destination destination, long sinceNs) {}

  /** Interrupts a blocking call of the JMS client, if it is interruptible. Any thread. */
  void interrupt() {
    thread.interrupt();
  }

  @Override
  public void run() {
    try {
      for (Entry next = lane.take(this); next != null; next = lane.take(this)) {
        publish(next);
      }
    } catch (Throwable e) { // publishes in flight are refused when the connection is abandoned
      log.atError().setCause(e).log("publish.fault");
      publisher.onUnusable(connection, e);
    } finally {
      boolean ignored = Thread.interrupted(); // it must not interrupt the closing
      closeSession();
      publisher.onEnded();
    }
  }

  private void publish(Entry entry) {
    if (lane.isFull(entry)) {
      hold(entry); // behind earlier publishes to the destination
      return;
    }
    if (failures >= MAX_FAILURES) {
      renew(1); // this one counts as in flight, but was not sent
    } else if (asynchronous && queriesDestination(entry)) {
      // A client may mistake the failure of a send for the response to its query, even shortly
      // after
      // the listener was called. Therefore a session with such a failure is not used for queries.
      lane.awaitInFlight(this, 1);
      if (failures > 0) {
        closeSession();
      }
    }
    if (!lane.isOwnedBy(this)) {
      return; // it was refused when the lane was detached
    }
    try {
      open();
    } catch (Throwable e) { // a client without a thread or a class throws an Error
      refuse(entry, ErrorCode.BROKER_UNAVAILABLE, "the broker opens no session", e);
      if (lane.isOwnedBy(this)) { // a session that took over may be usable
        publisher.onUnusable(connection, e);
      }
      return;
    }
    if (asynchronous) {
      sendAsynchronously(entry);
    } else {
      sendBatch(batch(entry));
    }
  }

  private boolean queriesDestination(Entry entry) {
    return provider.queriesTopics() && !composer.isCached(entry);
  }

  private void open() throws JMSException {
    if (session != null) {
      return;
    }
    Session opened = transacted ? openTransacted() : openAutomatic();
    try {
      producer = opened.createProducer(null);
      session = opened;
    } catch (Throwable e) {
      close(opened);
      throw e;
    }
    failures = 0;
    completed = false;
    flushing = !asynchronous;
  }

  private Session openAutomatic() throws JMSException {
    return connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
  }

  // A broker may forbid transactions: then each publish waits for its confirmation.
  private Session openTransacted() throws JMSException {
    try {
      return connection.createSession(true, Session.SESSION_TRANSACTED);
    } catch (JMSException e) {
      Session opened = openAutomatic();
      transacted = false;
      log.atWarn()
          .addKeyValue("cause", ServiceUrl.masked(String.valueOf(e)))
          .log("publish.untransacted");
      return opened;
    }
  }

  /**
   * Closes the JMS session when at most {@code inFlight} remain; the next publish opens another.
   */
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
      log.atDebug().setCause(e).log("publishing session did not close");
    }
  }

  private void sendAsynchronously(Entry entry) {
    try {
      boolean temporary = checkExists(entry);
      Destination destination = composer.destination(entry, session);
      if (isFull(entry, destination)) {
        hold(entry);
        return;
      }
      Message message = composer.message(entry, session, producer);
      sending = new Sending(entry, session, destination, lane.nowNs());
      if (temporary) {
        sendAndCheck(destination, message);
        publisher.onPublished(lane, entry);
      } else {
        provider.send(producer, destination, message, new Completion(entry));
        if (lane.inFlight() >= MIN_FLUSHED) {
          flush();
        }
      }
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
    } finally {
      sending = null;
    }
  }

  // Space that the broker grants at once has arrived with a later answer.
  private boolean isFull(Entry entry, Destination destination) throws JMSException {
    if (!provider.isBlocked(session, destination, entry.size)) {
      return false;
    }
    provider.await(session, destination);
    return provider.isBlocked(session, destination, entry.size);
  }

  private void hold(Entry entry) {
    if (!lane.hold(entry)) {
      publisher.onRefused(lane, entry, ErrorCode.PUBLISH_FAILED, blocked(entry));
    }
  }

  /** Returns the explanation of a publish whose destination is full. */
  static String blocked(Entry entry) {
    return "the broker blocks senders to %s: it is full, or the broker has no memory or disk left"
        .formatted(entry.targetName());
  }

  /**
   * Sends the next publish to each destination that was full and has space. Returns whether there
   * was one. The thread of this session.
   */
  boolean sendHeld() {
    if (due) {
      due = false;
      flush();
    }
    boolean sent = false;
    for (Entry entry : lane.firstHeld()) {
      if (hasSpace(entry) && lane.resume(this, entry)) {
        sendAsynchronously(entry);
        sent = true;
      }
    }
    return sent;
  }

  private boolean hasSpace(Entry entry) {
    try {
      open();
      return !provider.isBlocked(session, composer.destination(entry, session), entry.size);
    } catch (Throwable e) { // the send reports it
      return true;
    }
  }

  // The broker answers in order, except for what waits for space.
  private void flush() {
    if (flushing || session == null) {
      return;
    }
    List<Entry> sent = lane.sent();
    Session current = session;
    flushing = true;
    try {
      provider.flush(
          current,
          () -> {
            flushing = false;
            lane.onConfirmed(sent);
          });
    } catch (JMSException | RuntimeException e) { // the next send reports it
      log.atDebug().setCause(e).log("no request for confirmations");
    }
  }

  // A requestor may delete its reply queue at any time.
  private boolean checkExists(Entry entry) throws JMSException {
    return entry.isReply() && provider.checkExists(session, entry.request.to());
  }

  private void sendAndCheck(Destination destination, Message message) throws JMSException {
    try {
      producer.send(destination, message);
    } catch (JMSSecurityException e) {
      provider.checkExists(session, destination); // the broker may refuse to create it again
      throw e;
    }
    provider.checkSent(session, destination);
  }

  // Nothing was sent on this JMS session, so only this publish is in flight.
  private void renewFor(Entry entry) {
    closeSession();
    publish(entry);
  }

  // Waits until earlier publishes have ended. A session that failed once is not used again.
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
      publisher.onPublished(lane, entry);
    }

    @Override
    public void onException(Message message, Exception cause) {
      onAsynchronousFailure();
      onRefused(entry, cause);
    }
  }

  private synchronized void onAsynchronousFailure() {
    completed = true;
    failures++;
  }

  private List<Entry> batch(Entry first) {
    List<Entry> batch = new ArrayList<>();
    for (Entry next = first; next != null; next = canGrow(batch) ? lane.poll(this) : null) {
      batch.add(next);
    }
    return batch;
  }

  private boolean canGrow(List<Entry> batch) {
    return transacted && batch.size() < MAX_BATCH;
  }

  private void sendBatch(List<Entry> batch) {
    Throwable failure = sendAndCommit(batch);
    if (failure == null) {
      batch.forEach(entry -> publisher.onPublished(lane, entry));
    } else if (failure instanceof RolledBack && isDivisible(batch)) {
      sendOneByOne(batch);
    } else if (failure instanceof RolledBack) {
      batch.forEach(entry -> onRefused(entry, failure.getCause()));
    } else {
      batch.forEach(entry -> onRefused(entry, failure));
    }
  }

  // A transaction hides some failures of known providers.
  private boolean isDivisible(List<Entry> batch) {
    return batch.size() > 1 || !provider.isUnknown();
  }

  // The broker has the message of an earlier publish with the same id.
  private void onRefused(Entry entry, Throwable cause) {
    if (provider.isDuplicate(cause)) {
      publisher.onPublished(lane, entry);
    } else {
      refuse(entry, cause);
    }
  }

  // Each send has a separate failure. Without a transaction, an unknown client may not wait for the
  // broker.
  private void sendOneByOne(List<Entry> batch) {
    closeSession();
    transacted = provider.isUnknown();
    batch.forEach(this::sendAlone);
    closeSession();
    transacted = true;
  }

  // The publishes of a detached lane have been refused, and are not sent.
  private void sendAlone(Entry entry) {
    if (!lane.isOwnedBy(this)) {
      return;
    }
    try {
      open();
    } catch (Throwable e) {
      refuse(entry, ErrorCode.BROKER_UNAVAILABLE, "the broker opens no session", e);
      return;
    }
    sendBatch(List.of(entry));
  }

  /** Failure of a transaction that the broker has discarded. */
  private static final class RolledBack extends Exception {
    private static final long serialVersionUID = 1;

    RolledBack(Throwable cause) {
      super(cause);
    }
  }

  /** Returns null, {@link RolledBack}, or a failure after which the result is unknown. */
  private Throwable sendAndCommit(List<Entry> batch) {
    try {
      for (Entry entry : batch) {
        boolean temporary = checkExists(entry);
        Destination destination = composer.destination(entry, session);
        Message message = composer.message(entry, session, producer);
        if (temporary) {
          sendAndCheck(destination, message);
        } else {
          producer.send(destination, message);
        }
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

  // After any other failure of a commit the result is unknown.
  private boolean isRollback(Throwable failure) {
    return isRefusal(failure)
        || provider.isDuplicate(failure) // one duplicate rolls back the transaction
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
    } catch (Throwable e) { // a session that is closed without a commit is rolled back, too
      closeSession();
    }
    return transacted ? new RolledBack(cause) : cause;
  }

  private static boolean isRefusal(Throwable cause) {
    return cause instanceof InvalidDestinationException
        || cause instanceof JMSSecurityException
        || cause instanceof MessageComposer.Unsupported;
  }

  private void refuse(Entry entry, Throwable cause) {
    boolean queue = entry.publication.destination().isQueue();
    if (entry.isReply() && provider.isMissingDestination(cause)) {
      String why = "the reply destination does not exist any more";
      publisher.onRefused(lane, entry, ErrorCode.NO_RECIPIENT, why);
    } else if (cause instanceof InvalidDestinationException) {
      publisher.onRefused(
          lane,
          entry,
          queue ? ErrorCode.UNKNOWN_QUEUE : ErrorCode.UNKNOWN_TOPIC,
          "the broker has no such " + (queue ? "queue" : "topic"));
    } else if (cause instanceof MessageComposer.Unsupported) {
      publisher.onRefused(lane, entry, ErrorCode.UNSUPPORTED, cause.getMessage());
    } else if (Provider.isUnsupported(cause)) {
      refuse(entry, ErrorCode.UNSUPPORTED, "the JMS client does not support the message", cause);
    } else if (cause instanceof JMSSecurityException) {
      publisher.onRefused(
          lane,
          entry,
          ErrorCode.FORBIDDEN,
          "the broker denies access to this " + (queue ? "queue" : "topic"));
    } else {
      refuse(entry, ErrorCode.PUBLISH_FAILED, "the broker did not accept the message", cause);
    }
  }

  private void refuse(Entry entry, ErrorCode code, String why, Throwable cause) {
    publisher.onRefused(lane, entry, code, why + ": " + ServiceUrl.masked(message(cause)));
  }

  // Some clients describe only the cause of a failure.
  private static String message(Throwable failure) {
    Throwable cause = failure;
    while (cause.getMessage() == null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
