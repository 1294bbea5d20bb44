package io.sluice.client;

import io.sluice.client.internal.Frame;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Message delivered to a consumer; each is settled once. The futures complete when the broker has
 * stored the settlement. They fail with {@code not-pending} if the message has been settled or has
 * returned to the queue, and with {@code connection-lost} if the connection ended before the
 * answer.
 */
public final class Delivery {
  private static final List<String> TEXTS =
      List.of("topic", "messageType", "correlationId", "group");
  private static final String UNKNOWN = "unknown";

  private final Consumer consumer;
  private final Connection connection;
  private final long subscription;
  private final Frame frame;
  private final long tag;
  private final Payload payload;
  private final AtomicBoolean isSettled = new AtomicBoolean();

  Delivery(Consumer consumer, Connection connection, Frame frame) {
    this.consumer = consumer;
    this.connection = connection;
    this.frame = frame;
    subscription = frame.ref();
    tag = frame.number("tag");
    payload = Payload.of(frame);
    // Checks the members before the application reads them.
    frame.id();
    frame.number("time");
    frame.properties();
    redelivered();
    TEXTS.forEach(frame::optionalText);
    if (frame.has("replyTo")) {
      checkDestination(frame.object("replyTo"));
    }
  }

  private static void checkDestination(Frame member) {
    if (member.optionalText("queue") == null) {
      member.text("topic");
    }
  }

  /** Returns the concrete topic; null for a queue and for a subscription without a pattern. */
  public String topic() {
    return frame.optionalText("topic");
  }

  /** Returns the identity of the message, 16 hexadecimal digits; the same on every node. */
  public String id() {
    return frame.text("id");
  }

  /** Returns the acceptance by the broker, in milliseconds since 1970. */
  public long time() {
    return frame.number("time");
  }

  /** Returns whether the message may have been delivered before; false is certain. */
  public boolean redelivered() {
    return isRedeliveryUnknown() || frame.flag("redelivered");
  }

  /** Returns whether the broker may have delivered the message before without counting it. */
  public boolean isRedeliveryUnknown() {
    return UNKNOWN.equals(frame.get("redelivered"));
  }

  /** Returns JMSType; null if there is none. */
  public String messageType() {
    return frame.optionalText("messageType");
  }

  /** Returns JMSCorrelationID; null if there is none. */
  public String correlationId() {
    return frame.optionalText("correlationId");
  }

  /** Returns JMSXGroupID; null if there is none. */
  public String group() {
    return frame.optionalText("group");
  }

  /** Returns the destination for replies; null if there is none. */
  public Destination replyTo() {
    if (!frame.has("replyTo")) {
      return null;
    }
    Frame member = frame.object("replyTo");
    String queue = member.optionalText("queue");
    return queue == null ? Destination.topic(member.text("topic")) : Destination.queue(queue);
  }

  /** Returns the JMS properties: strings, booleans, {@code Long} and {@code Double}. */
  public Map<String, Object> properties() {
    return frame.map("properties");
  }

  /** Returns the content. */
  public Payload payload() {
    return payload;
  }

  /** Returns the payload as text. */
  public String text() {
    return payload.text();
  }

  /** Acknowledges the message: the broker removes it. */
  public CompletableFuture<Void> ack() {
    return settle("ack");
  }

  /** Returns the message to the queue, from which it is delivered again, to any consumer. */
  public CompletableFuture<Void> release() {
    return settle("release");
  }

  /** Moves the message to the dead-letter queue. */
  public CompletableFuture<Void> reject() {
    return settle("reject");
  }

  /** Publishes a reply to {@link #replyTo}. The message remains pending. */
  public CompletableFuture<Void> respond(Object reply) {
    return respond(reply, PublishOptions.DEFAULT);
  }

  /** Publishes a reply with options, except for an id, a correlation id and a reply destination. */
  public CompletableFuture<Void> respond(Object reply, PublishOptions options) {
    Map<String, Object> frame = frame("respond");
    Payload.encode(reply, frame);
    frame.putAll(options.members("id", "correlationId", "replyTo"));
    return send(frame);
  }

  private CompletableFuture<Void> settle(String type) {
    return markSettled() ? send(frame(type)) : notPending();
  }

  private CompletableFuture<Void> send(Map<String, Object> frame) {
    long ref = consumer.client().nextRef();
    frame.put("ref", ref);
    return consumer.client().relay(connection.call(ref, frame), answer -> null);
  }

  private Map<String, Object> frame(String type) {
    Map<String, Object> frame = SluiceClient.frame(type);
    frame.putAll(reference());
    return frame;
  }

  Map<String, Object> reference() {
    Map<String, Object> reference = new LinkedHashMap<>();
    reference.put("subscription", subscription);
    reference.put("tag", tag);
    return reference;
  }

  Connection connection() {
    return connection;
  }

  boolean isSettled() {
    return isSettled.get();
  }

  /** Marks the message as settled or returned. Returns whether it was pending. */
  boolean markSettled() {
    boolean wasPending = isSettled.compareAndSet(false, true);
    if (wasPending) {
      consumer.onSettled(this);
    }
    return wasPending;
  }

  long tag() {
    return tag;
  }

  private static CompletableFuture<Void> notPending() {
    CompletableFuture<Void> failed = new CompletableFuture<>();
    failed.completeExceptionally(
        new SluiceException("not-pending", "the message was settled or has returned to its queue"));
    return failed;
  }
}
