package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.broker.selector.SelectorSyntax;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.concurrent.TimeUnit;

/**
 * Non-durable interest: receives messages that are published while its consumer is active. Bound to
 * the control thread; messages arrive on a thread of the JMS client.
 */
final class NonDurableInterest extends BrokerInterest {
  /** Time after which a late message is no evidence that the topic still lags. */
  private static final long LATE_PERIOD_NS = TimeUnit.SECONDS.toNanos(30);

  private final TopicListener listener;
  private MessageConsumer consumer;
  private volatile Receiver receiver;
  private volatile boolean activeBefore;

  NonDurableInterest(Owner owner, InterestKey key, TopicListener listener) {
    super(owner, key, Session.DUPS_OK_ACKNOWLEDGE);
    this.listener = listener;
  }

  @Override
  String user() {
    return listener.user();
  }

  @Override
  OpenedConsumer consume(
      ConsumerSession session, Topic topic, Provider provider, ControlThread control)
      throws JMSException {
    String selector = SelectorSyntax.normalized(key().selector());
    provider.checkSelector(selector);
    MessageConsumer opened = provider.consumer(session.jms(), topic, selector);
    return new OpenedConsumer(session, opened, Provider.UNKNOWN);
  }

  @Override
  boolean isDurable() {
    return false;
  }

  @Override
  void begin(OpenedConsumer opened, Provider provider, MessageReader incoming) throws JMSException {
    consumer = opened.consumer();
    Receiver next = new Receiver(incoming, provider, consumer, opened.session().connection());
    receiver = next;
    listener.onActive(activeBefore);
    activeBefore = true;
    provider.onDisconnect(consumer, () -> onDisconnect(next));
    provider.onDiscard(consumer, next::onDiscarded);
    consumer.setMessageListener(receiver);
  }

  private void onDisconnect(Receiver disconnected) {
    disconnected.disconnected = true;
    owner().onDisconnect();
  }

  @Override
  void retire() {
    if (receiver != null) {
      receiver.retire();
    }
    receiver = null;
    consumer = null;
  }

  @Override
  public long readingSequence() {
    Receiver current = receiver;
    if (current == null) {
      return activeBefore ? Long.MIN_VALUE : Long.MAX_VALUE; // it misses messages
    }
    return current.readingSequence();
  }

  @Override
  long behind() {
    Receiver current = receiver;
    return current == null ? 0 : current.behind();
  }

  @Override
  boolean isBroken() {
    return consumer != null && isClosed(consumer);
  }

  @Override
  void refuse(ErrorCode code, String why) {
    listener.onRefused(code, why);
  }

  /**
   * Receiver of one consumer's messages, one at a time. Its lock is held while the listener is
   * called: after it has retired, a call would follow the gap of the loss.
   */
  private final class Receiver implements Provider.Listener {
    private final MessageReader incoming;
    private final Provider provider;
    private final MessageConsumer consumer;
    private final BrokerConnection connection;
    private boolean retired;

    /** Result of {@link BrokerConnection#behind} for the latest ordinary message. */
    private volatile long behind;

    /** Time of the latest late message, by the clock of the connection. */
    private volatile long lateNs;

    /** True if the broker has closed the consumer. */
    private volatile boolean disconnected;

    private volatile long reading = Long.MAX_VALUE;

    /** Lowest JMS priority of a message so far. Used by the JMS client's thread. */
    private int lowestPriority = Integer.MAX_VALUE;

    /** Guarded by this. */
    private final DiscardedNumbers discarded = new DiscardedNumbers();

    /** True if messages of different priorities have arrived. */
    private volatile boolean mixedPriorities;

    Receiver(
        MessageReader incoming,
        Provider provider,
        MessageConsumer consumer,
        BrokerConnection connection) {
      this.incoming = incoming;
      this.provider = provider;
      this.consumer = consumer;
      this.connection = connection;
    }

    // In the usual case, nothing is written.
    private void onNumber(long sequence) {
      long latestBehind = connection.behind(sequence);
      if (latestBehind > 0 || behind > 0) {
        behind = latestBehind;
        lateNs = connection.arrivalNs();
      }
    }

    long behind() {
      return connection.arrivalNs() - lateNs < LATE_PERIOD_NS ? behind : 0;
    }

    // No canary takes the path of a separate connection: its messages are not proven. The order
    // matters: a message that leaves the client's buffer in between is being read. A buffered
    // message waits for other consumers of the session, and its sequence is unknown. It may also be
    // older than the one being read if that has a higher priority.
    long readingSequence() {
      if (disconnected || connection.isSeparate() || isClosed(consumer)) {
        return Long.MIN_VALUE; // it misses messages
      }
      boolean unread = provider.hasBufferedMessages(consumer);
      long read = reading;
      return unread && (read == Long.MAX_VALUE || mixedPriorities) ? Long.MIN_VALUE : read;
    }

    /**
     * Returns a delivery with its sequence if its arrival proves that older messages have been
     * delivered; otherwise with {@link Broker#NO_SEQUENCE}. Broker and client deliver newer
     * messages of a higher priority first.
     */
    private DeliveryInfo ordered(DeliveryInfo delivery) {
      int priority = delivery.priority();
      if (lowestPriority != Integer.MAX_VALUE && priority != lowestPriority) {
        mixedPriorities = true;
      }
      if (priority > lowestPriority) {
        return delivery.withoutSequence();
      }
      lowestPriority = priority;
      return delivery;
    }

    synchronized void retire() {
      retired = true;
    }

    private synchronized boolean isRetired() {
      return retired;
    }

    @Override
    public void onMessage(jakarta.jms.Message message) {
      if (isRetired()) {
        return;
      }
      incoming.onArrival();
      DeliveryInfo numbered = incoming.delivery(message);
      reportDiscarded(numbered.sequence());
      DeliveryInfo delivery = ordered(numbered);
      if (!delivery.mayOvertakeAny() && !delivery.slow()) {
        onNumber(delivery.sequence());
      }
      reading = delivery.sequence(); // reading a large message blocks until all of it has arrived
      MessageFields fields = listener.needsFields() ? MessageReader.fields(message) : null;
      try {
        Message read = incoming.read(message);
        if (read != null) {
          pass(read, delivery, fields);
        }
      } catch (MessageReader.Refused e) {
        passMissed(e.reason(), delivery, fields);
      } catch (RuntimeException | OutOfMemoryError e) {
        passMissed(incoming.unreadable(e), delivery, fields);
      } finally {
        reading = Long.MAX_VALUE;
      }
    }

    // Clients that received all messages before this report miss the discarded one now. Earlier
    // messages may still arrive, and a position may begin at them: another gap follows them.
    private synchronized void onDiscarded(long sequence) {
      discarded.add(sequence);
      passMissed(incoming.discarded(), DeliveryInfo.of(Broker.NO_SEQUENCE), null);
    }

    private synchronized void reportDiscarded(long sequence) {
      if (discarded.onArrival(sequence)) {
        passMissed(GapReason.OVERLOAD, DeliveryInfo.of(Broker.NO_SEQUENCE), null);
      }
    }

    @Override
    public void onUndecodable(long sequence, int priority, Throwable cause) {
      if (!isRetired()) {
        incoming.onArrival();
        reportDiscarded(sequence);
        DeliveryInfo unread = new DeliveryInfo(sequence, priority, false, 0, true, false);
        passMissed(incoming.unreadable(cause), ordered(unread), null);
      }
    }

    private synchronized void pass(Message message, DeliveryInfo delivery, MessageFields fields) {
      if (!retired) {
        listener.onMessage(message, delivery, fields);
      }
    }

    private synchronized void passMissed(
        GapReason reason, DeliveryInfo delivery, MessageFields fields) {
      if (!retired) {
        listener.onMissed(reason, delivery, fields);
      }
    }
  }
}
