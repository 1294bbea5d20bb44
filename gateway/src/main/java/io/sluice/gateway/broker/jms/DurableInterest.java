package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Arrival;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.Kept;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An interest for which the broker keeps what comes while the node is away, as a durable
 * subscription of the connection's client ID with the pattern as its name. A thread of its own
 * takes what has come, has it made safe and acknowledges it, so that one wait for the disk serves
 * all messages of a round.
 */
final class DurableInterest extends BrokerInterest {
  private static final Logger log = LoggerFactory.getLogger(DurableInterest.class);

  /** How long a round waits for its first message. */
  private static final long QUIET_MS = 100;

  /** Rounds without a message, after which no kept one is awaited any more. */
  private static final int MOST_QUIET = 50;

  /** How long it waits for one more: what the client has received already comes at once. */
  private static final long MORE_MS = 1;

  /** Fewer than brokers send ahead of the acknowledgement. */
  private static final int MOST_ARRIVALS = 64;

  /** How often it is tried again to make messages safe. */
  private static final long AGAIN_MS = 500;

  /** From how many deliveries of one message on the operator is warned: brokers give up at some. */
  private static final int MANY_DELIVERIES = 5;

  /** Messages in a row that the client cannot even hand over, after which it is opened anew. */
  private static final int MOST_UNREADABLE = 10;

  /** Delay of the attempt that follows one without an answer; doubles with each of them. */
  private static final long UNANSWERED_DELAY_MS = 2_000;

  private static final int MOST_DOUBLINGS = 5;

  private final DurableListener listener;
  private Kept kept = Kept.NOTHING;
  private boolean remembered;
  private boolean toBeOpened;
  private boolean stoodBefore;

  /** Attempts in a row to which the broker gave no answer. */
  private int unanswered;

  /** When the next attempt may begin, by {@link System#nanoTime}. */
  private long attemptNs = System.nanoTime();

  private Rounds rounds;

  /** Messages that nobody can read, told as lost but not acknowledged: they will come again. */
  private volatile int told;

  DurableInterest(Owner owner, String pattern, DurableListener listener) {
    super(owner, pattern, Session.CLIENT_ACKNOWLEDGE);
    this.listener = listener;
  }

  /** What the broker is known to have kept, before this is opened. */
  void kept(Kept byBroker) {
    kept = byBroker;
    remembered = false;
  }

  /** It could not be opened, or is broken: it is tried again. */
  void openLater() {
    if (rounds != null) {
      kept(Kept.ALL); // the broker has been there all the time
    }
    toBeOpened = true;
  }

  /** The broker gave no answer: delays the next attempt, because each may occupy a thread. */
  void delayAttempt() {
    long delayMs = UNANSWERED_DELAY_MS << Math.min(unanswered, MOST_DOUBLINGS);
    unanswered++;
    attemptNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
  }

  /** Whether the broker has given it since the node started. */
  boolean hasStood() {
    return stoodBefore;
  }

  /** Whether the node will know what was lost when this was opened. */
  boolean isRemembered() {
    return remembered;
  }

  @Override
  OpenedConsumer consume(
      ConsumerSession session, Topic topic, Provider provider, ControlThread control)
      throws JMSException {
    Session opened = session.jms();
    long keptMessages = provider.keptMessages(opened, pattern());
    boolean gone = keptMessages == Provider.NO_SUBSCRIPTION;
    if (!control.ask(() -> isLossSafe(gone))) {
      // With the subscription it would look as if nothing had happened.
      throw new JMSException("it is not safe yet that messages were lost");
    }
    MessageConsumer subscriber = opened.createDurableSubscriber(topic, pattern());
    return new OpenedConsumer(session, subscriber, keptMessages);
  }

  @Override
  boolean isDurable() {
    return true;
  }

  private boolean isLossSafe(boolean gone) {
    remembered = listener.onReturn(gone ? Kept.NOTHING : kept);
    return remembered;
  }

  @Override
  void begin(OpenedConsumer opened, Provider provider, MessageReader incoming) {
    toBeOpened = false;
    unanswered = 0;
    stoodBefore = true;
    rounds = new Rounds(opened.consumer(), incoming, opened.keptMessages(), listener.onStanding());
    Thread thread = new Thread(rounds, "sluice-durable-" + pattern());
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  void retire() {
    if (rounds != null) {
      rounds.retired.countDown();
    }
    rounds = null;
  }

  @Override
  boolean isBroken() {
    if (toBeOpened) {
      return System.nanoTime() - attemptNs >= 0;
    }
    return rounds != null && (rounds.failed || isClosed(rounds.consumer));
  }

  @Override
  void refuse(ErrorCode code, String why) {
    listener.onRefused(code, why);
  }

  /** Takes the messages of one consumer. */
  private final class Rounds implements Runnable {
    private final MessageConsumer consumer;
    private final MessageReader incoming;
    private final long keptMessages;
    private final long number;
    private final CountDownLatch retired = new CountDownLatch(1);
    private final List<Arrival> arrivals = new ArrayList<>(MOST_ARRIVALS);
    private volatile boolean failed;
    private long received;
    private int quietRounds;
    private int unreadable;
    private int unacknowledged;
    private boolean drained;
    private boolean warned;
    private jakarta.jms.Message latest;

    Rounds(MessageConsumer consumer, MessageReader incoming, long keptMessages, long number) {
      this.consumer = consumer;
      this.incoming = incoming;
      this.keptMessages = keptMessages;
      this.number = number;
    }

    @Override
    public void run() {
      try {
        while (!isRetired()) {
          round();
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

    private void round() throws JMSException, InterruptedException {
      listener.onRound(number, isDrained());
      drained = false;
      latest = null;
      int taken = 0;
      while (taken < MOST_ARRIVALS && receive(taken == 0 ? QUIET_MS : MORE_MS)) {
        taken++;
      }
      quietRounds = taken == 0 ? quietRounds + 1 : 0;
      if (taken == 0) {
        consumer.getMessageListener(); // fails if the broker has closed it
      } else if (!isRetired() && becomeSafe()) {
        acknowledge();
      }
      arrivals.clear();
    }

    private void acknowledge() throws JMSException {
      told = Math.max(told, unacknowledged);
      if (latest != null) {
        latest.acknowledge(); // and all before it
        unacknowledged = 0;
        told = 0;
      }
    }

    // A broker that does not say how much it has kept has sent it all when nothing waits here. Some
    // of what another one has counted may have expired since.
    private boolean isDrained() {
      return keptMessages == Provider.UNKNOWN
          ? drained
          : received >= keptMessages || quietRounds >= MOST_QUIET;
    }

    /** Takes one message; false if there is none. */
    private boolean receive(long waitMs) throws JMSException {
      jakarta.jms.Message next;
      try {
        next = consumer.receive(waitMs);
      } catch (RuntimeException e) { // the client cannot make out what it got
        if (++unreadable > MOST_UNREADABLE) {
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
      take(next);
      return true;
    }

    // It is acknowledged with the next one where brokers acknowledge up to a message. Artemis'
    // client refuses to, so it comes again and again, until the broker gives it up.
    private void onUnreadable(RuntimeException cause) {
      GapReason reason = incoming.unreadable(cause);
      if (++unacknowledged > told) {
        arrivals.add(new Arrival(null, reason, true, false));
      }
    }

    private void take(jakarta.jms.Message message) throws JMSException {
      warnOfDeliveries(message);
      boolean persistent = message.getJMSDeliveryMode() != DeliveryMode.NON_PERSISTENT;
      boolean named = incoming.isNamed(message);
      try {
        Message read = incoming.read(message);
        if (read != null) {
          arrivals.add(new Arrival(read, null, persistent, named));
        }
      } catch (MessageReader.Refused e) {
        arrivals.add(new Arrival(null, e.reason(), persistent, named));
      }
    }

    private void warnOfDeliveries(jakarta.jms.Message message) throws JMSException {
      if (warned || !message.getJMSRedelivered()) {
        return;
      }
      int deliveries = message.getIntProperty("JMSXDeliveryCount");
      if (deliveries >= MANY_DELIVERIES) {
        warned = true;
        log.atWarn()
            .addKeyValue("topic", pattern())
            .addKeyValue("deliveries", deliveries)
            .addKeyValue("needs", "a broker that delivers again without limit")
            .log("durable.redelivered");
      }
    }

    private boolean becomeSafe() throws InterruptedException {
      while (!arrivals.isEmpty() && !listener.onArrivals(number, arrivals)) {
        if (retired.await(AGAIN_MS, TimeUnit.MILLISECONDS)) {
          return false; // the broker will send them again
        }
      }
      return true;
    }
  }
}
