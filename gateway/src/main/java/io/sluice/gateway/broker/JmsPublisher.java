package io.sluice.gateway.broker;

import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends clients' messages, in their order, on a thread of its own. {@link #publish} may be called
 * by any thread, the rest by the control thread.
 */
final class JmsPublisher {
  private static final Logger log = LoggerFactory.getLogger(JmsPublisher.class);

  /**
   * A message that waits.
   *
   * @param size the publication's, which takes a while to count
   */
  private record Job(Publication publication, long size, PublishListener listener) {}

  private final BlockingQueue<Job> jobs;
  private final long maxBytes;
  private final AtomicLong waitingBytes = new AtomicLong();
  private final Provider provider;
  private final boolean persistent;
  private final GatewayMetrics metrics;
  private final Thread thread = new Thread(this::run, "sluice-publisher");

  /** The connection to send on, or null while the broker is away. */
  private volatile Connection connection;

  private volatile boolean stopped;

  // Of the publishing thread alone.
  private Connection openedOn;
  private Session session;
  private MessageProducer producer;

  JmsPublisher(
      int capacity, long maxBytes, Provider provider, boolean persistent, GatewayMetrics metrics) {
    this.jobs = new ArrayBlockingQueue<>(capacity);
    this.maxBytes = maxBytes;
    this.provider = provider;
    this.persistent = persistent;
    this.metrics = metrics;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void stop() {
    stopped = true;
    connection = null;
    thread.interrupt();
  }

  void onConnected(Connection usable) {
    connection = usable;
  }

  void onLost() {
    connection = null;
  }

  void publish(Publication publication, PublishListener listener) {
    if (connection == null) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, "the broker is away");
    } else if (!enqueue(new Job(publication, publication.size(), listener))) {
      String why = "as many publishes of this node wait already as it allows";
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, why);
    }
  }

  private boolean enqueue(Job job) {
    if (waitingBytes.addAndGet(job.size()) <= maxBytes && jobs.offer(job)) {
      return true;
    }
    waitingBytes.addAndGet(-job.size());
    return false;
  }

  private void run() {
    try {
      while (!stopped) {
        Job next = jobs.take();
        waitingBytes.addAndGet(-next.size());
        sendNext(next);
      }
    } catch (InterruptedException e) {
      // Only stop() interrupts.
    }
    for (Job job = jobs.poll(); job != null; job = jobs.poll()) {
      refuse(job.listener(), ErrorCode.BROKER_UNAVAILABLE, "the node is stopping");
    }
  }

  // Whatever fails with one message must not end the thread that all others need.
  private void sendNext(Job job) {
    try {
      send(job);
    } catch (Throwable e) {
      log.atError().setCause(e).log("publish.unanswered");
    }
  }

  private void send(Job job) {
    Connection current = connection;
    if (current == null) {
      refuse(job.listener(), ErrorCode.BROKER_UNAVAILABLE, "the broker is away");
      return;
    }
    try {
      openOn(current);
      String topic = provider.wildcards().toProvider(job.publication().topic());
      producer.send(provider.topic(session, topic), message(job.publication()));
      metrics.published();
      job.listener().onPublished();
    } catch (InvalidDestinationException e) {
      refuse(job.listener(), ErrorCode.UNKNOWN_TOPIC, "the broker has no such topic");
    } catch (JMSSecurityException e) {
      refuse(job.listener(), ErrorCode.FORBIDDEN, "the broker forbids it");
    } catch (Throwable e) {
      openedOn = null; // a session that failed once is not trusted again
      String why = "the broker did not take it: " + Credentials.masked(e.getMessage());
      refuse(job.listener(), ErrorCode.PUBLISH_FAILED, why);
    }
  }

  private void openOn(Connection current) throws JMSException {
    if (openedOn == current) {
      return;
    }
    if (session != null) {
      closeSession();
    }
    session = current.createSession(false, Session.AUTO_ACKNOWLEDGE);
    producer = session.createProducer(null);
    producer.setDeliveryMode(persistent ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
    openedOn = current;
  }

  private void closeSession() {
    Session old = session;
    session = null;
    try {
      old.close();
    } catch (Throwable e) {
      log.atDebug().setCause(e).log("a session of a connection that is gone did not close");
    }
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

  void refuse(PublishListener listener, ErrorCode code, String why) {
    metrics.publishRefused(code.code());
    listener.onRefused(code, why);
  }
}
