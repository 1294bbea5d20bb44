package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.provider.Capability;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proof that the broker delivers the messages of patterns. Without it, a wrong wildcard opens a
 * consumer that receives nothing. A test message has to arrive at the consumers of its topic and of
 * two patterns. Consumers of patterns wait for the proof. Any thread.
 */
final class PatternProof {
  private static final Logger log = LoggerFactory.getLogger(PatternProof.class);

  private static final long ARRIVAL_MS = 5_000;
  private static final long TIMEOUT_MS = 20_000;
  private static final long TIME_TO_LIVE_MS = 300_000;

  private final Provider provider;
  private final BrokerConnection connection;
  private final String topic;

  /** Failure of the proof; null after it. Guarded by this. */
  private JMSException failure;

  /** True after the proof or its refusal, false before and after a temporary failure. */
  private boolean known;

  private boolean running;

  /**
   * Creates a proof that has not started.
   *
   * @param topic topic without subscribers, in Sluice's syntax, to which levels are appended; null
   *     if the node sends no test messages
   */
  PatternProof(Provider provider, BrokerConnection connection, String topic) {
    this.provider = provider;
    this.connection = connection;
    this.topic = topic;
  }

  /** Starts the proof on another thread. */
  synchronized void start() {
    if (known || running) {
      return;
    }
    BrokerThreads.SYSTEM.start(provider.inContext(this::run), "sluice-pattern-proof");
    running = true; // it ends under this lock
  }

  /**
   * Returns when patterns are proven; waits for the broker.
   *
   * @throws SubscriptionRefusal if the broker does not deliver messages of patterns
   * @throws JMSException if the proof has failed, and the next call repeats it
   */
  synchronized void require() throws JMSException {
    start();
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    try {
      while (running && untilNs - System.nanoTime() > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, untilNs - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (running) {
      throw new JMSException("the broker has not delivered the test message of patterns");
    }
    if (failure instanceof SubscriptionRefusal refusal) {
      throw new SubscriptionRefusal(refusal.code(), refusal.getMessage());
    }
    if (failure != null) {
      throw (JMSException) new JMSException(failure.getMessage()).initCause(failure);
    }
  }

  private void run() {
    JMSException result;
    boolean permanent = true;
    try {
      result = prove();
    } catch (Throwable e) { // a provider's client may fail in any way
      result = (JMSException) new JMSException(String.valueOf(e.getMessage())).initCause(e);
      permanent = false;
    }
    if (result != null) {
      log.atWarn()
          .addKeyValue("cause", ServiceUrl.masked(String.valueOf(result.getMessage())))
          .log("patterns.unproven");
    }
    synchronized (this) {
      failure = result;
      known = permanent;
      running = false;
      notifyAll();
    }
  }

  /** Returns null or the refusal; fails if the broker does not answer. */
  private JMSException prove() throws JMSException {
    if (topic == null) {
      return unprovable("broker.canary.prefix disables the test message of patterns");
    }
    try (Session receiving = connection.jms().createSession(false, Session.AUTO_ACKNOWLEDGE);
        Session sending = connection.jms().createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      MessageConsumer plain;
      try {
        plain = consumer(receiving, topic + ".a.b");
      } catch (JMSException | RuntimeException e) {
        if (!Provider.isDenial(e)) {
          throw e;
        }
        return unprovable("the broker refuses the test message of patterns: " + e.getMessage());
      }
      String level = topic + ".*.b";
      String rest = topic + ".>";
      MessageConsumer ofLevel = pattern(receiving, level);
      MessageConsumer ofRest = pattern(receiving, rest);
      try {
        send(sending);
      } catch (JMSException | RuntimeException e) {
        if (!Provider.isDenial(e)) {
          throw e;
        }
        return unprovable("the broker refuses the test message of patterns: " + e.getMessage());
      }
      if (plain.receive(ARRIVAL_MS) == null) {
        throw new JMSException("the broker has not delivered the test message of patterns");
      }
      JMSException refusal = refusal(ofLevel, level);
      return refusal == null ? refusal(ofRest, rest) : refusal;
    } catch (SubscriptionRefusal e) {
      return e;
    }
  }

  private SubscriptionRefusal unprovable(String why) {
    return provider.supports(Capability.PATTERNS)
        ? null
        : new SubscriptionRefusal(
            ErrorCode.UNSUPPORTED, why + "; broker.capabilities: patterns permits them unproven");
  }

  private MessageConsumer consumer(Session session, String name) throws JMSException {
    return session.createConsumer(provider.topic(session, provider.wildcards().toProvider(name)));
  }

  private MessageConsumer pattern(Session session, String pattern) throws JMSException {
    try {
      return consumer(session, pattern);
    } catch (JMSException | RuntimeException e) {
      if (!Provider.isDenial(e)) {
        throw e;
      }
      throw refused(pattern, "is refused: " + e.getMessage());
    }
  }

  private void send(Session session) throws JMSException {
    MessageProducer producer =
        session.createProducer(
            provider.topic(session, provider.wildcards().toProvider(topic + ".a.b")));
    producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
    producer.setTimeToLive(TIME_TO_LIVE_MS);
    producer.send(session.createMessage());
  }

  /** Returns why the consumer of a pattern is unusable, or null. */
  private SubscriptionRefusal refusal(MessageConsumer consumer, String pattern)
      throws JMSException {
    Message message = consumer.receive(ARRIVAL_MS);
    if (message == null) {
      return refused(pattern, "received no test message");
    }
    String name = provider.wildcards().fromProvider(provider.topicOf(message));
    return name.equals(topic + ".a.b")
        ? null
        : refused(pattern, "received a test message whose topic is " + name);
  }

  private SubscriptionRefusal refused(String pattern, String why) {
    return new SubscriptionRefusal(
        ErrorCode.UNSUPPORTED,
        "this broker does not support patterns as configured: %s %s; see broker.wildcards"
            .formatted(provider.wildcards().toProvider(pattern), why));
  }
}
