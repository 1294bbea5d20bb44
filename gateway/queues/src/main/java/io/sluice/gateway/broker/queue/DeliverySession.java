package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.jms.ContentReader.Undeliverable;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.broker.provider.TraceProperty;
import io.sluice.gateway.broker.queue.DeliveryReader.Arrived;
import io.sluice.gateway.broker.queue.QueueLink.Kind;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.trace.TraceLog;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session of a consumer at the broker: arrived messages, requests for further ones, and the
 * calls that settle. Bound to the consumer's executor, except {@link #onMessage}, {@link #open},
 * {@link #opened} and {@link #isRepeatDue}.
 *
 * <p>A released message returns to the queue with the end of a transaction, which ends the delivery
 * of all messages of the session. It is therefore returned when the client has settled or released
 * all others; no further message is delivered until then. A message that arrives when the client
 * has paused the consumer is returned under the same condition.
 */
final class DeliverySession implements QueueSession.Listener {
  private static final Logger log = LoggerFactory.getLogger(DeliverySession.class);

  /** Time after which a request is repeated, should the broker have lost it. */
  private static final long REPEAT_NS = 30_000_000_000L;

  /** Consumer of the session. Bound to its executor, except {@link #execute}. */
  interface Consumer {
    QueueRequest request();

    int credit();

    /** Returns whether the consumer receives no further message. */
    boolean isClosing();

    long nowNs();

    /** Runs a step. Any thread. */
    void execute(Runnable step);

    /** Changes the state, then starts what is due next. */
    void change(Runnable change);

    /** Replaces the session after a failure. */
    void reset(Throwable cause);

    /** Closes the session. */
    void closeSession();
  }

  private final Consumer consumer;
  private final QueueLink link;
  private final QueueListener listener;
  private final DeliveryReader reader;
  private final QueueOptions options;
  private final QueueMeters meters;
  private final ConsumerCalls calls;
  private final Settlements settlements;
  private final PendingMessages pending;
  private final SessionTransactions transactions;

  /** Null until it is open. */
  private volatile QueueSession opened;

  private boolean ended;

  /** True if a message is requested from the broker and has not arrived. */
  private boolean requested;

  /** Time of the latest request. */
  private volatile long requestedNs;

  /** Failure of a request; null if there was none. */
  private Throwable broken;

  /** True while released messages return to the queue. */
  private boolean returning;

  /** True while a message that the client does not receive is settled: it may be large. */
  private boolean discarding;

  /** Cause of its exclusion; null if the client's subscription does not cover it. */
  private String undeliverable;

  /** True once a message has arrived. */
  private boolean hasArrived;

  /** Messages that arrived when the client had no credit. */
  private final Queue<Arrived> arrived = new ArrayDeque<>();

  DeliverySession(
      Consumer consumer,
      QueueLink link,
      QueueListener listener,
      DeliveryReader reader,
      QueueOptions options,
      QueueMeters meters,
      ConsumerCalls calls,
      Settlements settlements,
      SessionTransactions transactions) {
    this.consumer = consumer;
    this.link = link;
    this.listener = listener;
    this.reader = reader;
    this.options = options;
    this.meters = meters;
    this.calls = calls;
    this.settlements = settlements;
    this.pending = settlements.pending();
    this.transactions = transactions;
    this.requestedNs = consumer.nowNs();
  }

  /** Opens the session at the broker; waits for it. */
  void open() throws JMSException {
    opened = link.open(consumer.request(), this);
  }

  /** Returns the session at the broker; null until it is open. */
  QueueSession opened() {
    return opened;
  }

  boolean hasArrived() {
    return hasArrived;
  }

  /** Ignores what follows: the consumer has closed or lost the session. */
  void end() {
    ended = true;
  }

  /** Interrupts the running transaction or rejection, if there is one. */
  void interrupt() {
    transactions.interrupt();
  }

  @Override
  public void onMessage(Message message, Throwable undecodable) {
    consumer.execute(() -> onArrived(new Arrived(message, undecodable)));
  }

  private void onArrived(Arrived message) {
    if (!ended) {
      requested = false;
      hasArrived = true;
      consumer.change(() -> arrived.add(message));
    }
  }

  /** Starts what is due next. */
  void proceed() {
    if (broken != null && !calls.isRunning()) {
      consumer.reset(broken);
    } else if (!returning) {
      deliverArrived();
      callNext();
      changeRequest();
    }
  }

  private void callNext() {
    if (calls.isRunning()) {
      return;
    }
    if (!settlements.isEmpty()) {
      settleNext();
    } else if (consumer.isClosing() && !calls.isAsking()) {
      consumer.closeSession();
    } else if ((pending.areAllReleased() || hasUnwanted()) && !calls.isAsking()) {
      returnReleased();
    }
  }

  // The client has reduced its credit.
  private boolean hasUnwanted() {
    return !arrived.isEmpty() && pending.size() == 0 && consumer.credit() == 0;
  }

  private void deliverArrived() {
    while (!arrived.isEmpty() && isOpenFor(0)) {
      deliver(arrived.remove());
    }
  }

  /** Returns whether a message can be delivered after a number of settlements. */
  private boolean isOpenFor(int settled) {
    int unsettled = pending.size() - settled;
    return !consumer.isClosing()
        && !discarding
        && !pending.hasReleased()
        && unsettled < Math.min(consumer.credit(), opened.maxPending())
        && (unsettled == 0 || pending.bytes() < options.pendingBytes());
  }

  private boolean hasRoom(int settled) {
    return arrived.isEmpty() && isOpenFor(settled);
  }

  private void deliver(Arrived next) {
    if (!reader.isCovered(next.message())) {
      settle(next.message(), Settlement.ACK);
      return;
    }
    QueueDelivery delivery;
    try {
      delivery = reader.read(next, opened, pending.nextTag(), link);
    } catch (Undeliverable e) {
      rejectUndeliverable(next.message(), e.getMessage());
      return;
    }
    long limitNs = consumer.nowNs() + options.ackTimeoutMs() * 1_000_000;
    pending.add(next.message(), delivery.payload().length, delivery.replyTo(), limitNs);
    meters.delivered(delivery.redelivery().text());
    listener.onDelivery(delivery);
  }

  // Returned to the queue it would arrive again and again.
  private void rejectUndeliverable(Message message, String cause) {
    undeliverable = cause;
    TraceLog.withTrace(log.atWarn(), TraceProperty.of(message))
        .addKeyValue("session", consumer.request().requester().session())
        .addKeyValue("queue", consumer.request().source())
        .addKeyValue("cause", cause)
        .log("queue.undeliverable");
    settle(message, Settlement.REJECT);
  }

  /** Settles a message that the client does not receive. */
  private void settle(Message message, Settlement how) {
    discarding = true;
    settlements.add(new Settling(List.of(PendingMessage.undelivered(message)), how, null));
  }

  /** Settles what waits, and requests the next message if the client then has credit. */
  private void settleNext() {
    Settlements.Batch batch = settlements.next();
    boolean further = !requested && !calls.isAsking() && !hasRoom(0) && hasRoom(batch.pending());
    if (further) {
      requested = true;
      calls.beginAsk();
    }
    String deadLetter = link.deadLetter();
    ConsumerCalls.Call work =
        () -> {
          batch.run(opened, transactions, deadLetter, consumer.request().source());
          if (further) {
            opened.request();
          }
        };
    java.util.function.Consumer<Throwable> done =
        failure -> consumer.change(() -> onSettled(batch, further, failure));
    if (batch.sends()) {
      calls.startSending(link, batch.destinations(deadLetter), work, done);
    } else {
      calls.start(link, Kind.SETTLE, work, done);
    }
  }

  private void onSettled(Settlements.Batch batch, boolean further, Throwable failure) {
    if (further) {
      calls.endAsk();
    }
    if (failure == null) {
      settlements.onSettled(batch);
      countDiscarded();
    } else {
      settlements.onFailed(batch, failure);
      consumer.reset(failure);
    }
  }

  private void countDiscarded() {
    discarding &= !settlements.isEmpty();
    if (!discarding && undeliverable != null) {
      meters.undeliverable(undeliverable);
      undeliverable = null;
    }
  }

  private void returnReleased() {
    List<Message> messages = pending.messages();
    returning = true;
    calls.start(
        link,
        Kind.SETTLE,
        () -> opened.release(messages),
        failure -> consumer.change(() -> onReturned(failure)));
  }

  private void onReturned(Throwable failure) {
    returning = false;
    if (failure == null) {
      arrived.clear(); // they arrived before the return, too
      requested = false;
      pending.clear();
    } else {
      consumer.reset(failure);
    }
  }

  // Not one of the calls: messages arrive while the broker stores settlements.
  private void changeRequest() {
    if (calls.isAsking() || returning || ended || hasRoom(0) == requested) {
      return;
    }
    requested = !requested;
    ask();
  }

  /** Returns whether a request may have been lost. Any thread. */
  boolean isRepeatDue(long nowNs) {
    boolean due = nowNs - requestedNs > REPEAT_NS;
    if (due) {
      requestedNs = nowNs;
    }
    return due;
  }

  /** Repeats the request, if no message has arrived. */
  void repeatRequest() {
    if (requested && !calls.isAsking() && !returning && !ended) {
      ask();
    }
  }

  private void ask() {
    requestedNs = consumer.nowNs();
    calls.ask(link, requested ? opened::request : opened::cancel, this::onAsked);
  }

  private void onAsked(Throwable failure) {
    if (!ended) {
      calls.endAsk();
      consumer.change(() -> broken = failure);
    }
  }
}
