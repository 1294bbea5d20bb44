package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Arrival;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.broker.provider.Capability;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Durable interest: the broker retains its messages while the node is not connected. It is a
 * durable subscription of the connection's client ID, with the pattern as its name. Bound to the
 * control thread.
 *
 * <p>A dedicated thread receives messages in batches, has them stored and acknowledges them. One
 * write to the disk serves a whole batch.
 */
final class DurableInterest extends BrokerInterest {
  private static final Logger log = LoggerFactory.getLogger(DurableInterest.class);

  /** Timeout for the first message of a batch. */
  private static final long FIRST_MS = 100;

  /** Empty batches after which no further retained message is expected. */
  private static final int MAX_EMPTY = 50;

  /** Timeout for a further message. Those in the client's buffer are returned at once. */
  private static final long MORE_MS = 1;

  /** Maximum size of a batch; below the prefetch of brokers. */
  private static final int MAX_ARRIVALS = 64;

  /** Interval of attempts to store a batch. */
  private static final long RETRY_MS = 500;

  /** Deliveries of one message that cause a warning, because brokers limit their number. */
  private static final int MANY_DELIVERIES = 5;

  /** Successive messages that the client fails to return, after which the consumer is reopened. */
  private static final int MAX_UNREADABLE = 10;

  /** Delay after an attempt without a response; doubles with each of them. */
  private static final long NO_RESPONSE_DELAY_MS = 2_000;

  private static final int MAX_DOUBLINGS = 5;

  private final DurableListener listener;
  private RetainedMessages retained = RetainedMessages.NONE;
  private boolean lossRecorded;
  private boolean awaitsOpening;
  private boolean activeBefore;

  /** Number of successive attempts without a response of the broker. */
  private int attemptsWithoutResponse;

  /** Earliest time of the next attempt, by {@link System#nanoTime}. */
  private long attemptNs = System.nanoTime();

  private BatchReceiver receiver;

  /** Unreadable messages reported as lost but not acknowledged; they will be redelivered. */
  private volatile int reportedUnreadable;

  DurableInterest(Owner owner, InterestKey key, DurableListener listener) {
    super(owner, key, Session.CLIENT_ACKNOWLEDGE);
    this.listener = listener;
  }

  /** Sets which messages the broker has retained, before this is opened. */
  void setRetained(RetainedMessages atBroker) {
    retained = atBroker;
    lossRecorded = false;
  }

  /** Schedules another attempt after a failure to open it, or because it is broken. */
  void openLater() {
    if (receiver != null) {
      setRetained(RetainedMessages.ALL); // the connection was not lost
    }
    awaitsOpening = true;
  }

  /** Delays the next attempt after a missing response, because each attempt may block a thread. */
  void delayAttempt() {
    long delayMs = NO_RESPONSE_DELAY_MS << Math.min(attemptsWithoutResponse, MAX_DOUBLINGS);
    attemptsWithoutResponse++;
    attemptNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
  }

  /** Returns whether it was active since the node started. */
  boolean wasActive() {
    return activeBefore;
  }

  /** Returns whether the loss before this was opened is recorded. */
  boolean isLossRecorded() {
    return lossRecorded;
  }

  @Override
  OpenedConsumer consume(
      ConsumerSession session, Topic topic, Provider provider, ControlThread control)
      throws JMSException {
    if (TopicPattern.isPattern(pattern()) && !provider.supports(Capability.DURABLE_PATTERNS)) {
      throw SubscriptionRefusal.unsupported("durable patterns", Capability.DURABLE_PATTERNS);
    }
    Session opened = session.jms();
    long retainedMessages = provider.retainedMessages(opened, pattern());
    boolean missing = retainedMessages == Provider.NO_SUBSCRIPTION;
    if (!control.evaluate(() -> recordLoss(missing))) {
      // After this, the existence of the subscription would hide the loss.
      throw new JMSException("the loss of messages could not be recorded");
    }
    MessageConsumer subscriber = provider.durableConsumer(opened, topic, pattern());
    return new OpenedConsumer(session, subscriber, retainedMessages);
  }

  @Override
  boolean isDurable() {
    return true;
  }

  private boolean recordLoss(boolean missing) {
    lossRecorded = listener.onReconnected(missing ? RetainedMessages.NONE : retained);
    return lossRecorded;
  }

  @Override
  void begin(OpenedConsumer opened, Provider provider, MessageReader incoming) {
    awaitsOpening = false;
    attemptsWithoutResponse = 0;
    activeBefore = true;
    receiver =
        new BatchReceiver(
            opened.consumer(),
            provider::isUnreadable,
            incoming,
            opened.retainedMessages(),
            listener.onActive());
    BrokerThreads.SYSTEM.start(provider.inContext(receiver), "sluice-durable-" + pattern());
  }

  @Override
  void retire() {
    if (receiver != null) {
      receiver.retired.countDown();
    }
    receiver = null;
  }

  @Override
  boolean isBroken() {
    if (awaitsOpening) {
      return System.nanoTime() - attemptNs >= 0;
    }
    return receiver != null && (receiver.failed || isClosed(receiver.consumer));
  }

  @Override
  void refuse(ErrorCode code, String why) {
    listener.onRefused(code, why);
  }

  /** Receives and acknowledges the messages of one consumer. Runs on its own thread. */
  private final class BatchReceiver implements Runnable {
    private final MessageConsumer consumer;
    private final Predicate<JMSException> isUnreadable;
    private final MessageReader incoming;
    private final long retainedMessages;
    private final long number;
    private final CountDownLatch retired = new CountDownLatch(1);
    private final List<Arrival> arrivals = new ArrayList<>(MAX_ARRIVALS);
    private volatile boolean failed;
    private long received;
    private int emptyBatches;
    private int unreadable;
    private int unacknowledged;
    private boolean drained;
    private boolean warned;
    private jakarta.jms.Message latest;

    BatchReceiver(
        MessageConsumer consumer,
        Predicate<JMSException> isUnreadable,
        MessageReader incoming,
        long retainedMessages,
        long number) {
      this.consumer = consumer;
      this.isUnreadable = isUnreadable;
      this.incoming = incoming;
      this.retainedMessages = retainedMessages;
      this.number = number;
    }

    @Override
    public void run() {
      try {
        while (!isRetired()) {
          receiveBatch();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (JMSException | RuntimeException | OutOfMemoryError e) {
        if (!isRetired()) {
          log.atWarn().addKeyValue("topic", pattern()).setCause(e).log("interest.failed");
        }
      } finally {
        failed = true;
      }
    }

    private boolean isRetired() {
      return retired.getCount() == 0;
    }

    private void receiveBatch() throws JMSException, InterruptedException {
      boolean allReceived = isDrained();
      if (allReceived) { // the broker may have discarded some
        reportedUnreadable = Math.min(reportedUnreadable, unacknowledged);
      }
      listener.onRound(number, allReceived);
      drained = false;
      latest = null;
      int size = 0;
      while (size < MAX_ARRIVALS && receive(size == 0 ? FIRST_MS : MORE_MS)) {
        size++;
      }
      emptyBatches = size == 0 ? emptyBatches + 1 : 0;
      if (size == 0) {
        consumer.getMessageListener(); // fails if the broker has closed it
      } else if (!isRetired() && store()) {
        acknowledge();
      }
      arrivals.clear();
    }

    private void acknowledge() throws JMSException {
      reportedUnreadable = Math.max(reportedUnreadable, unacknowledged);
      if (latest != null) {
        latest.acknowledge(); // cumulative
        unacknowledged = 0;
        reportedUnreadable = 0;
      }
    }

    // If the broker does not report a number, an empty buffer means that it has sent all messages.
    // If it does, some of the counted messages may have expired since.
    private boolean isDrained() {
      return retainedMessages == Provider.UNKNOWN
          ? drained
          : received >= retainedMessages || emptyBatches >= MAX_EMPTY;
    }

    /** Receives one message. Returns false if there is none. */
    private boolean receive(long waitMs) throws JMSException {
      jakarta.jms.Message next;
      try {
        next = consumer.receive(waitMs);
      } catch (JMSException | RuntimeException e) { // the client may be unable to decode a message
        boolean lost = e instanceof JMSException failure && !isUnreadable.test(failure);
        if (lost || ++unreadable > MAX_UNREADABLE) {
          throw e;
        }
        received++;
        onUnreadable(e);
        return true;
      }
      if (next == null) {
        drained = true;
        return false;
      }
      incoming.onArrival();
      unreadable = 0;
      received++;
      latest = next;
      add(next);
      return true;
    }

    // It is acknowledged with the next message where acknowledgements are cumulative. Artemis'
    // client
    // does not, so the message is redelivered until the broker discards it.
    private void onUnreadable(Exception cause) {
      GapReason reason = incoming.unreadable(cause);
      if (++unacknowledged > reportedUnreadable) {
        arrivals.add(new Arrival(null, reason, true, false));
      }
    }

    private void add(jakarta.jms.Message message) throws JMSException {
      warnOfRedelivery(message);
      boolean persistent = message.getJMSDeliveryMode() != DeliveryMode.NON_PERSISTENT;
      MessageFields fields = listener.needsFields() ? MessageReader.fields(message) : null;
      try {
        Message read = incoming.read(message);
        if (read != null) {
          arrivals.add(new Arrival(read, null, persistent, incoming.delivery(message), fields));
        }
      } catch (MessageReader.Refused e) {
        arrivals.add(new Arrival(null, e.reason(), persistent, incoming.delivery(message), fields));
      }
    }

    private void warnOfRedelivery(jakarta.jms.Message message) throws JMSException {
      if (warned || !message.getJMSRedelivered()) {
        return;
      }
      int deliveries = message.getIntProperty("JMSXDeliveryCount");
      if (deliveries >= MANY_DELIVERIES) {
        warned = true;
        log.atWarn()
            .addKeyValue("topic", pattern())
            .addKeyValue("deliveries", deliveries)
            .addKeyValue("needs", "a broker that redelivers without limit")
            .log("durable.redelivered");
      }
    }

    private boolean store() throws InterruptedException {
      while (!arrivals.isEmpty() && !listener.onArrivals(number, arrivals)) {
        if (retired.await(RETRY_MS, TimeUnit.MILLISECONDS)) {
          return false; // the broker will redeliver them
        }
      }
      return true;
    }
  }
}
