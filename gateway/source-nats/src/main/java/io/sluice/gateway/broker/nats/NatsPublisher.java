package io.sluice.gateway.broker.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.api.PublishAck;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishCapacity;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.PublishResults;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes of clients: a stream confirms each of its messages, and the server's answer to a ping
 * confirms those to core subjects before it. Any thread; no method blocks.
 */
final class NatsPublisher {
  private static final Logger log = LoggerFactory.getLogger(NatsPublisher.class);
  private static final int UNAVAILABLE = 503;

  private static final String NOT_CONNECTED = "the broker is not connected";
  private static final String FULL = "the publish queue of this node is full";
  private static final String UNCONFIRMED = "the server did not confirm the message";

  private final NatsOptions.PublishLimits limits;
  private final NatsThreads threads;
  private final PublishResults results;
  private final PublishCapacity capacity;
  private final Set<Pending> unconfirmed = ConcurrentHashMap.newKeySet();

  /** Publishes to core subjects that the next ping confirms. */
  private final ConcurrentLinkedQueue<Pending> unflushed = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean flushing = new AtomicBoolean();

  /** Null while there is no connection. */
  private volatile NatsLink link;

  /** A publish without a result. */
  private static final class Pending {
    private final NatsLink link;
    private final String topic;
    private final long bytes;
    private final PublishListener listener;

    Pending(NatsLink link, Publication publication, PublishListener listener) {
      this.link = link;
      this.topic = publication.destination().name();
      this.bytes = publication.size();
      this.listener = listener;
    }

    String user() {
      return listener.requester().user();
    }
  }

  NatsPublisher(NatsOptions.PublishLimits limits, NatsThreads threads, GatewayMetrics metrics) {
    this.limits = limits;
    this.threads = threads;
    this.results = new PublishResults(metrics);
    this.capacity =
        new PublishCapacity(limits.waiting(), limits.waitingBytes(), metrics::publishesInFlight);
  }

  /** Publishes over a connection from now on. */
  void onConnected(NatsLink connected) {
    link = connected;
  }

  /** Refuses all publishes, unconfirmed and future ones. */
  void onLost() {
    link = null;
    unconfirmed.forEach(each -> refuse(each, ErrorCode.BROKER_UNAVAILABLE, UNCONFIRMED));
  }

  /** Refuses the publishes to a subject that the server denies. */
  void onDenied(String subject) {
    unconfirmed.stream()
        .filter(each -> each.topic.equals(subject))
        .forEach(each -> refuse(each, ErrorCode.FORBIDDEN, "the server denies this topic"));
  }

  /** Publishes a message; its listener is notified of the result. */
  void publish(Publication publication, PublishListener listener) {
    NatsLink current = link;
    if (current == null) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
    } else if (isStored(current, publication) || !NatsComposer.needsStream(publication)) {
      publish(current, publication, listener);
    } else { // the stream may be new
      threads.work(
          () -> {
            refreshStreams(current);
            publish(current, publication, listener);
          });
    }
  }

  private static boolean isStored(NatsLink over, Publication publication) {
    return over.streams().find(publication.destination().name()).stream() != null;
  }

  private void publish(NatsLink over, Publication publication, PublishListener listener) {
    boolean stored = isStored(over, publication);
    String problem = NatsComposer.problem(publication, stored);
    if (problem != null) {
      refuse(listener, ErrorCode.UNSUPPORTED, problem);
      return;
    }
    try {
      Message message = NatsComposer.message(publication);
      long max = over.connection().getMaxPayload();
      if (message.getData().length > max) {
        String why = "the message has %d bytes, more than max_payload of the server (%d)";
        refuse(listener, ErrorCode.PUBLISH_FAILED, why.formatted(message.getData().length, max));
        return;
      }
      send(new Pending(over, publication, listener), message, stored);
    } catch (IllegalArgumentException e) {
      refuse(listener, ErrorCode.UNSUPPORTED, "a property is no header: " + e.getMessage());
    }
  }

  private void send(Pending publish, Message message, boolean stored) {
    if (!capacity.reserve(publish.user(), publish.bytes)) {
      refuse(publish.listener, ErrorCode.BROKER_UNAVAILABLE, FULL);
      return;
    }
    unconfirmed.add(publish);
    try {
      if (stored) {
        publish
            .link
            .connection()
            .requestWithTimeout(message, Duration.ofMillis(limits.timeoutMs()))
            .whenComplete((reply, failure) -> onReply(publish, reply, failure));
      } else {
        publish.link.connection().publish(message);
        unflushed.add(publish);
        flush();
      }
    } catch (IllegalStateException e) { // the connection was closed
      refuse(publish, ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
    }
    if (link != publish.link) { // lost in between
      refuse(publish, ErrorCode.BROKER_UNAVAILABLE, UNCONFIRMED);
    }
  }

  private void onReply(Pending publish, Message reply, Throwable failure) {
    if (failure == null) {
      try {
        new PublishAck(reply); // fails unless it is a confirmation
        confirm(publish);
      } catch (JetStreamApiException e) {
        boolean temporary = e.getErrorCode() == UNAVAILABLE;
        refuse(
            publish,
            temporary ? ErrorCode.BROKER_UNAVAILABLE : ErrorCode.PUBLISH_FAILED,
            "the stream did not accept the message: " + e.getErrorDescription());
      } catch (IOException e) {
        refuse(publish, ErrorCode.PUBLISH_FAILED, "the server's answer is no confirmation");
      }
    } else if (failure instanceof JetStreamStatusException) { // no responder
      threads.work(() -> refreshStreams(publish.link));
      refuse(publish, ErrorCode.BROKER_UNAVAILABLE, "the stream of the topic is not available now");
    } else {
      refuse(publish, ErrorCode.BROKER_UNAVAILABLE, UNCONFIRMED);
    }
  }

  /** Reads the list of streams. Blocks. */
  private static void refreshStreams(NatsLink over) {
    try {
      over.streams().refresh(System.nanoTime());
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      log.atDebug().setCause(e).log("the streams cannot be read");
    }
  }

  private void flush() {
    if (!flushing.getAndSet(true)) {
      threads.work(this::flushNow);
    }
  }

  private void flushNow() {
    flushing.set(false);
    List<Pending> batch = new ArrayList<>();
    for (Pending next = unflushed.poll(); next != null; next = unflushed.poll()) {
      batch.add(next);
    }
    try {
      if (!batch.isEmpty()) {
        NatsLink latest = batch.get(batch.size() - 1).link;
        latest.connection().flush(Duration.ofMillis(NatsLink.TIMEOUT_MS));
      }
      batch.forEach(this::confirmUnlessDenied);
    } catch (TimeoutException | IllegalStateException e) {
      batch.forEach(each -> refuse(each, ErrorCode.BROKER_UNAVAILABLE, UNCONFIRMED));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void confirmUnlessDenied(Pending publish) {
    if (publish.link.denies(publish.topic)) {
      refuse(publish, ErrorCode.FORBIDDEN, "the server denies this topic");
    } else {
      confirm(publish);
    }
  }

  private void confirm(Pending publish) {
    if (unconfirmed.remove(publish)) {
      capacity.release(publish.user(), publish.bytes);
      results.publish(publish.listener);
    }
  }

  private void refuse(Pending publish, ErrorCode code, String why) {
    if (unconfirmed.remove(publish)) {
      capacity.release(publish.user(), publish.bytes);
      refuse(publish.listener, code, why);
    }
  }

  /** Notifies the listener of a refused publish. */
  void refuse(PublishListener listener, ErrorCode code, String why) {
    results.refuse(listener, code, why);
  }
}
