package io.sluice.client;

import static io.sluice.client.SubscribeOptions.check;

import io.sluice.client.internal.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/** Builder of a {@link SluiceClient}. Every setting except for the addresses has a default. */
public final class SluiceClientBuilder {
  /** Settings of a client. */
  record Settings(
      List<String> urls,
      Supplier<String> token,
      boolean redirect,
      Encoding encoding,
      Duration minBackoff,
      Duration maxBackoff,
      Duration connectTimeout,
      Duration publishTimeout,
      int maxPublishes,
      int maxQueuedFrames,
      int maxCallbackThreads,
      Executor executor,
      Consumer<ConnectionState> onState,
      Consumer<SluiceException> onError,
      DoubleSupplier random) {}

  private final List<String> urls;
  private Supplier<String> token;
  private boolean redirect = true;
  private Encoding encoding = Encoding.BINARY;
  private Duration minBackoff = Duration.ofMillis(500);
  private Duration maxBackoff = Duration.ofSeconds(30);
  private Duration connectTimeout = Duration.ofSeconds(10);
  private Duration publishTimeout = Duration.ofSeconds(30);
  private Duration pingInterval = Duration.ofSeconds(20);
  private int maxPublishes = 1_000;
  private int maxQueuedFrames = 1_024;
  private int maxCallbackThreads = 16;
  private Executor executor;
  private Consumer<ConnectionState> onState = state -> {};
  private Consumer<SluiceException> onError = error -> {};
  private OkHttpClient http;
  private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

  SluiceClientBuilder(String... urls) {
    this.urls = new ArrayList<>(Arrays.asList(urls));
    check(urls.length > 0, "a client requires at least one URL");
    this.urls.forEach(SluiceClientBuilder::checkUrl);
  }

  private static void checkUrl(String url) {
    boolean isValid = url.matches("wss?://[^#]+");
    if (isValid) {
      // Throws if the rest of the URL is invalid.
      new Request.Builder().url(url);
    }
    check(isValid, "URL must be like wss://example.com/ws, not " + url);
  }

  /**
   * Sets the supplier of credentials, called for each connection and before one expires. It may
   * block. A client has one user: a credential of another subject, or {@link LoggedOutException},
   * closes it.
   */
  public SluiceClientBuilder token(Supplier<String> supplier) {
    token = supplier;
    return this;
  }

  /** Sets a credential that does not change. */
  public SluiceClientBuilder token(String value) {
    return token(() -> value);
  }

  /** Sets whether the client follows redirects of the nodes; default true. */
  public SluiceClientBuilder redirect(boolean isEnabled) {
    redirect = isEnabled;
    return this;
  }

  /** Sets the encoding of messages; default {@link Encoding#BINARY}. */
  public SluiceClientBuilder encoding(Encoding value) {
    encoding = Objects.requireNonNull(value, "encoding");
    return this;
  }

  /** Sets the bounds of the wait before a reconnect; default 500 ms and 30 s. */
  public SluiceClientBuilder backoff(Duration min, Duration max) {
    check(!min.isNegative() && min.compareTo(max) <= 0, "backoff must be 0 <= min <= max");
    minBackoff = min;
    maxBackoff = max;
    return this;
  }

  /** Sets the time after which an attempt without a session is abandoned; default 10 s. */
  public SluiceClientBuilder connectTimeout(Duration timeout) {
    connectTimeout = positive("connectTimeout", timeout);
    return this;
  }

  /** Sets the time limit of publishes, including the wait for a connection; default 30 s. */
  public SluiceClientBuilder publishTimeout(Duration timeout) {
    publishTimeout = positive("publishTimeout", timeout);
    return this;
  }

  /** Sets the interval of pings; one without an answer ends the connection. Default 20 s. */
  public SluiceClientBuilder pingInterval(Duration interval) {
    pingInterval = positive("pingInterval", interval);
    return this;
  }

  /** Sets the maximum number of unanswered publishes and requests; default 1,000. */
  public SluiceClientBuilder maxPublishes(int count) {
    check(count >= 1, "maxPublishes must be at least 1, not " + count);
    maxPublishes = count;
    return this;
  }

  /**
   * Sets the maximum number of received frames that wait for listeners; default 1,024. Beyond it
   * the client does not read from its socket.
   */
  public SluiceClientBuilder maxQueuedFrames(int count) {
    check(count >= 1, "maxQueuedFrames must be at least 1, not " + count);
    maxQueuedFrames = count;
    return this;
  }

  /**
   * Sets the maximum number of threads that complete futures and run their continuations; default
   * 16. Further answers wait in their order until a continuation returns.
   */
  public SluiceClientBuilder maxCallbackThreads(int count) {
    check(count >= 1, "maxCallbackThreads must be at least 1, not " + count);
    maxCallbackThreads = count;
    return this;
  }

  /**
   * Sets the executor that calls listeners, one at a time; default a separate thread. It must not
   * run tasks on the calling thread.
   */
  public SluiceClientBuilder executor(Executor listeners) {
    executor = listeners;
    return this;
  }

  /** Sets the listener of connection states. */
  public SluiceClientBuilder onState(Consumer<ConnectionState> listener) {
    onState = listener;
    return this;
  }

  /** Sets the listener of errors that belong to no subscription, consumer or call. */
  public SluiceClientBuilder onError(Consumer<SluiceException> listener) {
    onError = listener;
    return this;
  }

  /** Sets an HTTP client, for example with a proxy or certificates. */
  public SluiceClientBuilder http(OkHttpClient client) {
    http = client;
    return this;
  }

  SluiceClientBuilder random(DoubleSupplier numbers) {
    random = numbers;
    return this;
  }

  /** Creates a client, which connects at once. */
  public SluiceClient build() {
    Settings settings =
        new Settings(
            urls,
            token,
            redirect,
            encoding,
            minBackoff,
            maxBackoff,
            connectTimeout,
            publishTimeout,
            maxPublishes,
            maxQueuedFrames,
            maxCallbackThreads,
            executor,
            onState,
            onError,
            random);
    OkHttpClient.Builder base = http == null ? new OkHttpClient.Builder() : http.newBuilder();
    // Threads of the default dispatcher would keep the process alive.
    okhttp3.Dispatcher daemons = new okhttp3.Dispatcher(Threads.cached("sluice-socket"));
    OkHttpClient client =
        base.pingInterval(pingInterval).dispatcher(daemons).retryOnConnectionFailure(false).build();
    return new SluiceClient(settings, client);
  }

  private static Duration positive(String name, Duration duration) {
    PublishOptions.millis(name, duration);
    return duration;
  }
}
