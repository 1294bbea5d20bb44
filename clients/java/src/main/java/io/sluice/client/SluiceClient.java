package io.sluice.client;

import io.sluice.client.internal.BadFrameException;
import io.sluice.client.internal.Frame;
import io.sluice.client.internal.Threads;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import okhttp3.OkHttpClient;

/**
 * Client of the Sluice WebSocket gateway. It reconnects, and its subscriptions resume at their
 * positions. Any thread may call it.
 *
 * <pre>{@code
 * try (SluiceClient client = SluiceClient.builder("wss://example.com/ws").build()) {
 *   client.subscribe("stocks.>", message -> System.out.println(message.text()));
 *   client.publish("chat.1", "hello").join();
 * }
 * }</pre>
 *
 * <p>Listeners are called one at a time, handlers of consumers one at a time for each consumer.
 * Both may wait for the futures of this client.
 */
public final class SluiceClient implements AutoCloseable {
  static final String VERSION = "0.1.0";
  static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

  private final SluiceClientBuilder.Settings settings;
  private final ExecutorService handlers = Threads.cached("sluice-handler");
  private final ExecutorService callbacks;
  private final ScheduledThreadPoolExecutor timer = Threads.timer("sluice-timer");
  private final AtomicLong refs = new AtomicLong();
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final Dispatcher dispatcher;
  private final Publishes publishes;
  private final Connector connector;
  private volatile ConnectionState state = ConnectionState.CONNECTING;

  SluiceClient(SluiceClientBuilder.Settings settings, OkHttpClient http) {
    this.settings = settings;
    callbacks = Threads.bounded("sluice-callback", settings.maxCallbackThreads());
    Executor listeners = settings.executor() == null ? handlers : settings.executor();
    dispatcher = new Dispatcher(this, listeners, settings.maxQueuedFrames());
    publishes = new Publishes(this, settings.maxPublishes());
    connector = new Connector(this, settings, http);
    connector.dial();
  }

  /**
   * Returns a builder.
   *
   * @param urls addresses such as {@code wss://example.com/ws}, tried in their order
   */
  public static SluiceClientBuilder builder(String... urls) {
    return new SluiceClientBuilder(urls);
  }

  /** Returns the state of the connection. */
  public ConnectionState state() {
    return state;
  }

  /** Subscribes to messages of a topic or pattern that are published from now on. */
  public Subscription subscribe(String topic, SubscriptionListener listener) {
    return subscribe(topic, SubscribeOptions.DEFAULT, listener);
  }

  /**
   * Subscribes to a topic or pattern.
   *
   * @throws IllegalStateException if there is a subscription with the same topic and selector
   */
  public Subscription subscribe(
      String topic, SubscribeOptions options, SubscriptionListener listener) {
    requireOpen();
    return dispatcher.subscriptions().add(topic, options, listener);
  }

  /**
   * Publishes a message to a topic.
   *
   * @param payload a {@code String}, a {@code byte[]}, a {@code Map} (JMS MapMessage) or a {@code
   *     List} (StreamMessage)
   * @return a future that completes when the broker has accepted the message
   */
  public CompletableFuture<Void> publish(String topic, Object payload) {
    return publish(topic, payload, PublishOptions.DEFAULT);
  }

  /** Publishes a message with options to a topic. */
  public CompletableFuture<Void> publish(String topic, Object payload, PublishOptions options) {
    return publish(Destination.topic(topic), payload, options);
  }

  /** Publishes a message with options to a topic or queue. */
  public CompletableFuture<Void> publish(
      Destination destination, Object payload, PublishOptions options) {
    Map<String, Object> frame = frame("publish");
    frame.putAll(destination.member());
    Payload.put(payload, frame);
    frame.putAll(options.members());
    Duration timeout = settings.publishTimeout();
    return relay(send(frame, options.isRepeatable(), timeout, "publish-timeout"), answer -> null);
  }

  /** Sends a request to a topic and returns the first reply, within 5 s. */
  public CompletableFuture<Reply> request(String topic, Object payload) {
    return request(topic, payload, REQUEST_TIMEOUT, PublishOptions.DEFAULT);
  }

  /** Sends a request to a topic, with a time limit and options. */
  public CompletableFuture<Reply> request(
      String topic, Object payload, Duration timeout, PublishOptions options) {
    return request(Destination.topic(topic), payload, timeout, options);
  }

  /**
   * Sends a request to a topic or queue and returns the first reply. It is never repeated. The
   * future fails with {@code timeout} without a reply in time.
   */
  public CompletableFuture<Reply> request(
      Destination destination, Object payload, Duration timeout, PublishOptions options) {
    Map<String, Object> frame = frame("request");
    frame.putAll(destination.member());
    Payload.encode(payload, frame);
    frame.putAll(options.members("id", "replyTo", "correlationId", "ttl"));
    frame.put("timeout", PublishOptions.millis("timeout", timeout));
    return relay(send(frame, false, timeout.plusSeconds(1), "timeout"), Reply::of);
  }

  /** Returns a queue of the broker. */
  public Queue queue(String name) {
    return new Queue(this, name);
  }

  /** Returns a durable subscription of the client's principal. */
  public DurableSubscription durable(String topic, String name) {
    return new DurableSubscription(this, topic, name);
  }

  /** Returns a shared subscription of the client's principal. */
  public SharedSubscription shared(String topic, String name) {
    return new SharedSubscription(this, topic, name);
  }

  /** Enters a topic, and returns its members and their changes. */
  public CompletableFuture<Presence> presence(String topic) {
    return presence(topic, PresenceOptions.DEFAULT);
  }

  /**
   * Enters or watches a topic for which the node has enabled presence. The future completes with
   * the first state. It fails with {@code forbidden} without the permission.
   *
   * @throws IllegalStateException if there is a presence of the topic
   */
  public CompletableFuture<Presence> presence(String topic, PresenceOptions options) {
    requireOpen();
    return dispatcher.presences().add(topic, options);
  }

  /**
   * Publishes messages and acknowledges deliveries in one JMS transaction: all of it takes effect,
   * or nothing. It is never repeated.
   *
   * @param build adds the content; called once, on this thread
   */
  public CompletableFuture<Void> transaction(java.util.function.Consumer<Transaction> build) {
    Transaction transaction = new Transaction();
    build.accept(transaction);
    Map<String, Object> frame = transaction.frame();
    Connection connection = transaction.connection();
    if (connection == null) {
      return send(frame);
    }
    long ref = nextRef();
    frame.put("ref", ref);
    return relay(
        connection.call(ref, frame),
        committed -> {
          transaction.onCommitted();
          return null;
        });
  }

  /** Reconnects at once if the client waits for its next attempt. */
  public void retryNow() {
    connector.retryNow();
  }

  /** Closes the connection permanently. Unanswered calls fail with {@code closed}. */
  @Override
  public void close() {
    close(null);
  }

  void close(SluiceException reason) {
    if (!isClosed.compareAndSet(false, true)) {
      return;
    }
    connector.close();
    String message = "the client is closed" + (reason == null ? "" : ": " + reason.getMessage());
    publishes.close(new SluiceException("closed", message, reason));
    dispatcher.close();
    timer.shutdownNow();
    onState(ConnectionState.CLOSED);
    if (reason != null) {
      report(reason);
    }
  }

  private void requireOpen() {
    if (isClosed.get()) {
      throw new SluiceException("closed", "the client is closed");
    }
  }

  CompletableFuture<Void> send(Map<String, Object> frame) {
    Duration timeout = settings.publishTimeout();
    return relay(send(frame, false, timeout, "publish-timeout"), answer -> null);
  }

  private CompletableFuture<Frame> send(
      Map<String, Object> frame, boolean isRepeatable, Duration timeout, String timeoutCode) {
    requireOpen();
    return publishes.send(frame, isRepeatable, timeout.toMillis(), timeoutCode);
  }

  Consumer consume(Map<String, Object> source, DeliveryHandler handler, ConsumeOptions options) {
    requireOpen();
    return dispatcher.consumers().add(source, handler, options);
  }

  /** Returns a future with the mapped answer, completed on a thread for callbacks. */
  <T> CompletableFuture<T> relay(CompletableFuture<Frame> answer, Function<Frame, T> mapping) {
    CompletableFuture<T> result = new CompletableFuture<>();
    // Continuations of the application must not hold up the socket.
    answer.whenComplete(
        (frame, error) -> callbacks.execute(() -> complete(result, frame, error, mapping)));
    return result;
  }

  private static <T> void complete(
      CompletableFuture<T> result, Frame frame, Throwable error, Function<Frame, T> mapping) {
    if (error != null) {
      result.completeExceptionally(error);
      return;
    }
    try {
      result.complete(mapping.apply(frame));
    } catch (BadFrameException e) {
      result.completeExceptionally(new SluiceException("bad-answer", e.getMessage(), e));
    }
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  Publishes publishes() {
    return publishes;
  }

  Executor handlers() {
    return handlers;
  }

  long nextRef() {
    return refs.incrementAndGet();
  }

  void run(Runnable task) {
    handlers.execute(task);
  }

  /** Completes a future of the application on a thread for callbacks. */
  <T> void complete(CompletableFuture<T> future, T value) {
    callbacks.execute(() -> future.complete(value));
  }

  /** Runs a short task later; none after the client is closed. */
  ScheduledFuture<?> after(long ms, Runnable task) {
    return timer.schedule(task, ms, TimeUnit.MILLISECONDS);
  }

  /** Returns a random wait that grows with the failures. */
  long backoffMs(int failures) {
    return connector.backoffMs(failures);
  }

  /** Runs a task of the dispatcher after the backoff. */
  void retry(int failures, Runnable task) {
    after(connector.backoffMs(failures), () -> dispatcher.execute(task));
  }

  synchronized void onState(ConnectionState next) {
    if (state != next && state != ConnectionState.CLOSED) {
      state = next;
      dispatcher.execute(() -> guard(() -> settings.onState().accept(next)));
    }
  }

  /** Reports an error that belongs to no call. */
  void report(SluiceException error) {
    dispatcher.execute(() -> guard(() -> settings.onError().accept(error)));
  }

  /** Calls the application; an exception does not end the client. */
  void guard(Runnable callback) {
    try {
      callback.run();
    } catch (Throwable e) { // Kotlin has no checked exceptions
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }

  static Map<String, Object> frame(String type) {
    Map<String, Object> frame = new LinkedHashMap<>();
    frame.put("type", type);
    return frame;
  }
}
