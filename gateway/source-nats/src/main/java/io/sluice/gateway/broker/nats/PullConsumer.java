package io.sluice.gateway.broker.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsJetStreamMetaData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Ephemeral consumer of a stream, from which messages are pulled: the server sends no more than
 * were requested. It acknowledges nothing; an interruption ends it, and another one begins behind
 * the latest message. Any thread; the sink is called on a thread of the NATS client.
 */
final class PullConsumer {
  /** Maximum number of messages that were requested and have not arrived. */
  private static final int BATCH = 256;

  private static final long HEARTBEAT_NS = Duration.ofSeconds(3).toNanos();

  /** Time without a heartbeat after which the consumer is considered lost. */
  private static final long SILENCE_NS = 3 * HEARTBEAT_NS;

  private static final long EXPIRY_NS = Duration.ofSeconds(30).toNanos();

  /** Time without a request after which the server deletes a consumer. */
  private static final Duration INACTIVE = Duration.ofMinutes(1);

  /** Minimum bytes of a request; it is larger if one message may be. */
  private static final long REQUEST_BYTES = 1 << 20;

  private static final long OVERHEAD_BYTES = 64 << 10;

  /** Statuses of a request that ended and may be repeated. */
  private static final String TOO_LARGE = "Message Size Exceeds MaxBytes";

  private static final String COMPLETED = "Batch Completed";

  private static final int HEARTBEAT = 100;
  private static final int NONE_PENDING = 404;
  private static final int EXPIRED = 408;

  /**
   * Message, or the report that there was none of the interest's subjects up to a place.
   *
   * @param sequence sequence of the message, or of the place
   * @param pending number of messages that the consumer had not sent yet
   * @param message null for a report
   */
  record Arrival(long sequence, long pending, Message message) {
    /** Returns the last sequence before it that is known to contain no message for the consumer. */
    long skippedTo() {
      return message == null ? sequence : sequence - 1;
    }

    /** Returns the time at which the server stored the message, in milliseconds since 1970. */
    long timeMs() {
      return message.metaData().timestamp().toInstant().toEpochMilli();
    }
  }

  /** Receiver of the messages, in the order of the stream. */
  interface Sink {
    void onArrival(Arrival arrival);

    /** More messages may be requested. */
    void onRequestEnded();

    /** The consumer is interrupted: no further message is in order. */
    void onInterrupted(String why);
  }

  private final NatsLink link;
  private final Sink sink;
  private final String stream;
  private final String name;
  private final long pending;
  private final String inbox;

  /** Consumer sequence of the latest message. Thread of the NATS client. */
  private long delivered;

  private volatile Subscription subscription;

  /** Time of the latest arrival or request. */
  private volatile long latestNs = System.nanoTime();

  // Guarded by this.
  private int requested;
  private boolean arrivedSinceRequest = true;

  private PullConsumer(NatsLink link, ConsumerInfo info, Sink sink) {
    this.link = link;
    this.sink = sink;
    this.stream = info.getStreamName();
    this.name = info.getName();
    this.pending = info.getCalculatedPending();
    this.inbox = link.connection().createInbox();
  }

  /** Creates a consumer of the messages from a sequence on. Blocks. */
  static PullConsumer from(NatsLink link, String stream, String subject, long sequence, Sink sink)
      throws IOException, JetStreamApiException {
    ConsumerConfiguration.Builder configuration =
        ConsumerConfiguration.builder()
            .deliverPolicy(DeliverPolicy.ByStartSequence)
            .startSequence(sequence);
    return create(link, stream, subject, configuration, sink);
  }

  /** Creates a consumer that begins with the newest message of each subject. Blocks. */
  static PullConsumer ofNewest(NatsLink link, String stream, String subject, Sink sink)
      throws IOException, JetStreamApiException {
    ConsumerConfiguration.Builder configuration =
        ConsumerConfiguration.builder().deliverPolicy(DeliverPolicy.LastPerSubject);
    return create(link, stream, subject, configuration, sink);
  }

  private static PullConsumer create(
      NatsLink link,
      String stream,
      String subject,
      ConsumerConfiguration.Builder configuration,
      Sink sink)
      throws IOException, JetStreamApiException {
    ConsumerInfo info =
        link.management()
            .createConsumer(
                stream,
                configuration
                    .name(link.connection().createInbox().replaceAll("\\W", ""))
                    .filterSubject(subject)
                    .ackPolicy(AckPolicy.None)
                    .memStorage(true)
                    .numReplicas(1)
                    .inactiveThreshold(INACTIVE)
                    .build());
    return new PullConsumer(link, info, sink);
  }

  /** Returns the number of messages that it had to send when it was created. */
  long pending() {
    return pending;
  }

  /** Begins to receive messages. */
  void start() {
    try {
      subscription = link.stored().subscribe(inbox, this::onMessage);
      request();
    } catch (IllegalStateException e) {
      sink.onInterrupted("the connection is closed");
    }
  }

  /** Requests messages if less than half of the maximum number are requested. */
  synchronized void request() {
    if (requested > BATCH / 2) {
      return;
    }
    // Without a limit of bytes only if the next message exceeded it.
    int more = arrivedSinceRequest ? BATCH - requested : 1;
    String bytes = arrivedSinceRequest ? ",\"max_bytes\":" + requestBytes() : "";
    String request =
        "{\"batch\":%d%s,\"expires\":%d,\"idle_heartbeat\":%d}"
            .formatted(more, bytes, EXPIRY_NS, HEARTBEAT_NS);
    arrivedSinceRequest = false;
    requested += more;
    latestNs = System.nanoTime();
    link.send(
        "$JS.API.CONSUMER.MSG.NEXT.%s.%s".formatted(stream, name),
        inbox,
        request.getBytes(StandardCharsets.UTF_8));
  }

  private long requestBytes() {
    return Math.max(REQUEST_BYTES, link.connection().getMaxPayload() + OVERHEAD_BYTES);
  }

  private void onMessage(Message message) {
    latestNs = System.nanoTime();
    if (message.isStatusMessage()) {
      onStatus(message);
      return;
    }
    NatsJetStreamMetaData meta = message.metaData();
    synchronized (this) {
      requested--;
      arrivedSinceRequest = true;
    }
    if (meta.consumerSequence() == delivered + 1) {
      delivered++;
      sink.onArrival(new Arrival(meta.streamSequence(), meta.pendingCount(), message));
    } else {
      sink.onInterrupted(
          "messages between %d and %d were not received"
              .formatted(delivered, meta.consumerSequence()));
    }
  }

  private void onStatus(Message message) {
    Headers headers = message.getHeaders();
    int code = message.getStatus().getCode();
    String text = message.getStatus().getMessage();
    if (code == HEARTBEAT) {
      if (number(headers, "Nats-Last-Consumer") == delivered) {
        sink.onArrival(new Arrival(number(headers, "Nats-Last-Stream"), 0, null));
      }
    } else if (code == EXPIRED
        || code == NONE_PENDING
        || TOO_LARGE.equals(text)
        || COMPLETED.equals(text)) {
      onEnded(number(headers, "Nats-Pending-Messages"));
    } else {
      sink.onInterrupted("the server has ended the consumer: " + text);
    }
  }

  private void onEnded(long unsent) {
    synchronized (this) {
      requested = unsent < 0 ? 0 : (int) Math.max(0, requested - unsent);
    }
    sink.onRequestEnded();
  }

  private static long number(Headers headers, String name) {
    String text = headers == null ? null : headers.getFirst(name);
    return text == null ? -1 : Long.parseLong(text);
  }

  /** Checks that heartbeats arrive while messages are requested. */
  void check(long nowNs) {
    boolean waits;
    synchronized (this) {
      waits = requested > 0;
    }
    if (waits && nowNs - latestNs > SILENCE_NS) {
      sink.onInterrupted("no heartbeat of the server has arrived");
    }
  }

  /** Ends the consumer. Never blocks. */
  void close() {
    link.unsubscribe(link.stored(), subscription);
    link.send("$JS.API.CONSUMER.DELETE.%s.%s".formatted(stream, name), null, null);
  }
}
