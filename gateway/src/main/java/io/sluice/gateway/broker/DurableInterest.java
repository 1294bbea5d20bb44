package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
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

  /** How long it waits for one more: what the client has received already comes at once. */
  private static final long MORE_MS = 1;

  /** Fewer than brokers send ahead of the acknowledgement. */
  private static final int MOST_ARRIVALS = 64;

  /** How often it is tried again to make messages safe. */
  private static final long AGAIN_MS = 500;

  private final DurableListener listener;
  private Kept kept = Kept.NOTHING;
  private boolean remembered;
  private Rounds rounds;

  DurableInterest(JmsBroker broker, String pattern, DurableListener listener) {
    super(broker, pattern, Session.CLIENT_ACKNOWLEDGE);
    this.listener = listener;
  }

  /** What the broker is known to have kept, before this is opened. */
  void kept(Kept byBroker) {
    kept = byBroker;
  }

  /** Whether the node will know what was lost when this was opened. */
  boolean isRemembered() {
    return remembered;
  }

  @Override
  MessageConsumer consume(Session opened, Topic topic, Provider provider) throws JMSException {
    remembered =
        listener.onReturn(provider.hasSubscription(opened, pattern()) ? kept : Kept.NOTHING);
    return opened.createDurableSubscriber(topic, pattern());
  }

  @Override
  void begin(MessageConsumer consumer, Incoming incoming) {
    listener.onStanding();
    rounds = new Rounds(consumer, incoming);
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
    return rounds != null && (rounds.failed || isClosed(rounds.consumer));
  }

  @Override
  void refuse(ErrorCode code, String why) {
    listener.onRefused(code, why);
  }

  /** Takes the messages of one consumer. */
  private final class Rounds implements Runnable {
    private final MessageConsumer consumer;
    private final Incoming incoming;
    private final CountDownLatch retired = new CountDownLatch(1);
    private final List<Arrival> arrivals = new ArrayList<>(MOST_ARRIVALS);
    private volatile boolean failed;

    Rounds(MessageConsumer consumer, Incoming incoming) {
      this.consumer = consumer;
      this.incoming = incoming;
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
      listener.onRound();
      jakarta.jms.Message next = consumer.receive(QUIET_MS);
      if (next == null) {
        consumer.getMessageListener(); // fails if the broker has closed it
        return;
      }
      jakarta.jms.Message latest = next;
      while (next != null) {
        latest = next;
        take(next);
        next = arrivals.size() < MOST_ARRIVALS ? consumer.receive(MORE_MS) : null;
      }
      if (!isRetired() && becomeSafe()) {
        latest.acknowledge(); // and all before it
      }
      arrivals.clear();
    }

    private void take(jakarta.jms.Message message) throws JMSException {
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

    private boolean becomeSafe() throws InterruptedException {
      while (!arrivals.isEmpty() && !listener.onArrivals(arrivals)) {
        if (retired.await(AGAIN_MS, TimeUnit.MILLISECONDS)) {
          return false; // the broker will send them again
        }
      }
      return true;
    }
  }
}
