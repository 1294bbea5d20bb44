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

  /** Connection on which the consumer was requested; null without one. */
  private Connection connection;

  private long ref;

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
  void open(Connection opened, long newRef) {
    connection = opened;
    ref = newRef;
    onState(ConsumerState.PENDING);
    Map<String, Object> frame = SluiceClient.frame("consume");
    frame.put("ref", ref);
    frame.putAll(source);
    frame.put("credit", (long) credit);
    if (options.where() != null) {
      frame.put("where", options.where());
    }
    connection.send(frame);
  }

  void pause() {
    sendCredit(0);
  }

  private void sendCredit(int value) {
    if (connection != null) {
      Map<String, Object> frame = SluiceClient.frame("credit");
      frame.put("subscription", ref);
      frame.put("credit", (long) value);
      connection.send(frame);
    }
  }

  /** Records the end of the connection: messages of it have returned to the queue. */
  void onEnd() {
    connection = null;
    release(-1);
    onState(ConsumerState.PENDING);
  }

  /** Forgets the message with a tag, or all with -1, which have returned to the queue. */
  void release(long tag) {
    for (Delivery delivery : pending) {
      if (tag < 0 || delivery.tag() == tag) {
        delivery.markSettled();
      }
    }
  }

  void onReleased(Frame frame) {
    release(frame.has("tag") ? frame.number("tag") : -1);
    boolean isShared = source.containsKey("shared");
    if (isShared && frame.text("reason").equals("broker-lost")) {
      String message = "messages of a shared subscription may be missing";
      onError(new SluiceException("messages-missing", message));
    }
  }

  void onRefused(SluiceException error) {
    connection = null;
    release(-1);
    onState(ConsumerState.REFUSED);
    onError(error);
  }

  void onDelivery(Frame frame) {
    Delivery delivery = new Delivery(this, connection, frame);
    pending.add(delivery);
    executor.execute(() -> handle(delivery));
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

  int pending() {
    return pending.size();
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
    client.dispatcher().consumers().remove(this, ref);
    if (connection != null) {
      Map<String, Object> frame = SluiceClient.frame("unsubscribe");
      frame.put("ref", client.nextRef());
      frame.put("subscription", ref);
      connection.send(frame);
    }
    onClose();
  }

  void onClose() {
    isClosing = true;
    connection = null;
    release(-1);
    onState(ConsumerState.CLOSED);
    client.complete(ended);
  }
}
