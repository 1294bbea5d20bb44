package io.sluice.client;

import io.sluice.client.internal.Frame;
import io.sluice.client.internal.SerialExecutor;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Consumer of a queue, or of a durable or shared subscription. It survives reconnects until it is
 * closed.
 */
public final class Consumer implements AutoCloseable {
  private final SluiceClient client;
  private final Map<String, Object> source;
  private final DeliveryHandler handler;
  private final ConsumeOptions options;
  private final SerialExecutor executor;
  private final Set<Delivery> pending = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile ConsumerState state = ConsumerState.PENDING;
  private volatile boolean isClosing;

  /** Number of consecutive refusals; a task of the dispatcher changes it. */
  int failures;

  private int credit;

  /** Consumer at the current node; null without one. */
  private Attachment attachment;

  Consumer(
      SluiceClient client,
      Map<String, Object> source,
      DeliveryHandler handler,
      ConsumeOptions options) {
    this.client = client;
    this.source = source;
    this.handler = handler;
    this.options = options;
    credit = options.credit();
    executor = new SerialExecutor(client.handlers());
  }

  SluiceClient client() {
    return client;
  }

  /** Returns the current state. */
  public ConsumerState state() {
    return state;
  }

  /** Returns whether the consumer receives no further messages. */
  boolean isClosing() {
    return isClosing;
  }

  /** Changes the credit; 0 pauses the consumer. */
  public void setCredit(int value) {
    SubscribeOptions.check(value >= 0, "credit must be at least 0, not " + value);
    client
        .dispatcher()
        .execute(
            () -> {
              credit = value;
              sendCredit(value);
            });
  }

  /** Ends the consumer without waiting for {@link #closeAsync}. */
  @Override
  public void close() {
    closeAsync();
  }

  /**
   * Ends the consumer. A running handler is completed and its message settled; other messages
   * return to the queue.
   *
   * @return a future that completes when the consumer has ended
   */
  public CompletableFuture<Void> closeAsync() {
    isClosing = true;
    client.dispatcher().execute(() -> sendCredit(0));
    executor.execute(() -> client.dispatcher().execute(this::end));
    return ended;
  }

  /** Requests the consumer on a new connection; a task of the dispatcher. */
  Attachment open(Connection opened, long ref) {
    boolean isMoved = attachment != null;
    attachment = new Attachment(this, opened, ref);
    if (!isMoved) {
      onState(ConsumerState.PENDING);
    }
    Map<String, Object> frame = SluiceClient.frame("consume");
    frame.put("ref", ref);
    frame.putAll(source);
    frame.put("credit", (long) credit);
    if (options.where() != null) {
      frame.put("where", options.where());
    }
    opened.send(frame);
    return attachment;
  }

  void pause() {
    sendCredit(0);
  }

  private void sendCredit(int value) {
    if (attachment != null) {
      Map<String, Object> frame = SluiceClient.frame("credit");
      frame.put("subscription", attachment.ref());
      frame.put("credit", (long) value);
      attachment.connection().send(frame);
    }
  }

  /** Records the end of a connection: messages of it have returned to the queue. */
  void onEnd(Connection ended) {
    release(ended, -1);
    if (attachment != null && attachment.connection() == ended) {
      attachment = null;
      onState(ConsumerState.PENDING);
    }
  }

  /** Forgets the message with a tag, or all with -1, which have returned to the queue. */
  private void release(Connection one, long tag) {
    for (Delivery delivery : pending) {
      boolean isOfConnection = one == null || delivery.connection() == one;
      if (isOfConnection && (tag < 0 || delivery.tag() == tag)) {
        delivery.markSettled();
      }
    }
  }

  void onFrame(Attachment from, Frame frame) {
    switch (frame.type()) {
      case "consuming":
        failures = 0;
        onState(ConsumerState.CONSUMING);
        break;
      case "delivery":
        Delivery delivery = new Delivery(this, from.connection(), frame);
        pending.add(delivery);
        executor.execute(() -> handle(delivery));
        break;
      default:
        onReleased(from, frame);
    }
  }

  private void onReleased(Attachment from, Frame frame) {
    release(from.connection(), frame.has("tag") ? frame.number("tag") : -1);
    boolean isShared = source.containsKey("shared");
    if (isShared && frame.text("reason").equals("broker-lost")) {
      String message = "messages of a shared subscription may be missing";
      onError(new SluiceException("messages-missing", message));
    }
  }

  /** Records a refusal. Returns whether the consumer has ended at the current node. */
  boolean onRefused(Attachment from, SluiceException error) {
    release(from.connection(), -1);
    boolean isCurrent = from == attachment;
    if (isCurrent) {
      attachment = null;
      onState(ConsumerState.REFUSED);
      onError(error);
    }
    return isCurrent;
  }

  private void handle(Delivery delivery) {
    if (isClosing || delivery.isSettled()) {
      return;
    }
    try {
      handler.onDelivery(delivery);
      if (!options.isManual() && !delivery.isSettled()) {
        report(delivery.ack());
      }
    } catch (Throwable e) { // Kotlin has no checked exceptions
      onError(new SluiceException("handler-failed", "the handler has failed: " + e, e));
      if (!delivery.isSettled()) {
        report(delivery.release());
      }
    }
  }

  private void report(CompletableFuture<Void> settlement) {
    settlement.whenComplete(
        (done, error) -> {
          if (error instanceof SluiceException) {
            onError((SluiceException) error);
          }
        });
  }

  void onSettled(Delivery delivery) {
    pending.remove(delivery);
  }

  int pending(Connection one) {
    return (int) pending.stream().filter(delivery -> delivery.connection() == one).count();
  }

  void onState(ConsumerState next) {
    if (state != next && state != ConsumerState.CLOSED) {
      state = next;
      client.guard(() -> options.onState().accept(next));
    }
  }

  void onError(SluiceException error) {
    client.guard(() -> options.onError().accept(error));
  }

  private void end() {
    client.dispatcher().consumers().remove(this);
    if (attachment != null) {
      Map<String, Object> frame = SluiceClient.frame("unsubscribe");
      frame.put("ref", client.nextRef());
      frame.put("subscription", attachment.ref());
      attachment.connection().send(frame);
    }
    onClose();
  }

  void onClose() {
    isClosing = true;
    attachment = null;
    release(null, -1);
    onState(ConsumerState.CLOSED);
    client.complete(ended, null);
  }
}
