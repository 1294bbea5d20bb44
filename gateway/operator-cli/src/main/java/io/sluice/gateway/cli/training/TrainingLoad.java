package io.sluice.gateway.cli.training;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpResponseExpectation;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.regex.Pattern;

/**
 * Load of a training run: connections of all kinds, then fan-out to subscribers of all kinds. The
 * cache contains the classes and, on Java 25 and later, the profiles of the methods that it uses.
 * The main thread waits for the event loop of the clients.
 */
public final class TrainingLoad implements AutoCloseable {
  /** Begin of the names of all topics. */
  static final String TOPICS = "sluice-aot-cache.";

  private static final String HOST = "127.0.0.1";
  private static final int TOPIC_COUNT = 4;
  private static final int CONCURRENT_CONNECTS = 4;
  private static final long CONNECTED_MS = 200;
  private static final int SUBSCRIBERS = 120;
  private static final int PUBLISHED_AT_ONCE = 20;
  private static final int ADMIN_REQUESTS = 20;
  private static final int MAX_SOCKETS = 10_000;
  private static final String PAYLOAD = "0123456789abcdef".repeat(32);
  private static final String CONNECT = "{\"type\":\"connect\",\"client\":\"aot-cache\"%s}";
  private static final String SUBSCRIBE = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"%s\"%s}";
  private static final Pattern PUBLISHED = Pattern.compile("\"published\"");

  /** Time for the end of a phase after its duration. */
  private static final Duration MARGIN = Duration.ofSeconds(60);

  /** Further members of a subscription: most are plain. */
  private static final List<String> SUBSCRIPTIONS =
      List.of(
          "",
          "",
          "",
          ",\"from\":\"snapshot\"",
          "",
          ",\"delivery\":\"latest\"",
          "",
          ",\"rate\":10",
          "",
          ",\"tagged\":true");

  /** Kinds of the first clients, which repeat: frequent kinds occur more often. */
  private static final List<Kind> MIX =
      List.of(
          Kind.JSON,
          Kind.BINARY,
          Kind.DEFLATE,
          Kind.JSON,
          Kind.BINARY,
          Kind.DEFLATE,
          Kind.BINARY,
          Kind.COMPRESSED_FRAMES);

  /** Encoding and compression of a client. */
  private enum Kind {
    JSON,
    BINARY,
    DEFLATE,
    COMPRESSED_FRAMES
  }

  private final TrainedNode node;
  private final Duration phase;
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final WebSocketClient plain = vertx.createWebSocketClient(options());
  private final WebSocketClient deflate =
      vertx.createWebSocketClient(
          options().setTryUsePerMessageCompression(true).setCompressionAllowClientNoContext(true));
  private final HttpClient http =
      vertx.createHttpClient(
          new HttpClientOptions().setKeepAlive(false).setTrustAll(true).setVerifyHost(false));

  /**
   * @param node a started node
   * @param duration of the load
   */
  public TrainingLoad(TrainedNode node, Duration duration) {
    this.node = node;
    this.phase = duration.dividedBy(2);
  }

  private static WebSocketClientOptions options() {
    return new WebSocketClientOptions().setMaxConnections(MAX_SOCKETS);
  }

  /** Applies the load: half of the time for connections, half for fan-out. */
  public void run() throws IOException, InterruptedException {
    try {
      // Answered once the broker is connected, before which time would pass without load.
      await(open(0, "").compose(ClientWebSocket::close));
      for (int i = 0; i < ADMIN_REQUESTS; i++) {
        await(get("/health/live"));
        await(get("/metrics"));
      }
      long endOfConnects = System.nanoTime() + phase.toNanos();
      await(all(CONCURRENT_CONNECTS, chain -> connectUntil(endOfConnects, chain)));
      await(
          all(
              SUBSCRIBERS,
              number -> open(number, SUBSCRIPTIONS.get(number % SUBSCRIPTIONS.size()))));
      long end = System.nanoTime() + phase.toNanos();
      await(all(TOPIC_COUNT, topic -> publishUntil(end, topic)));
    } catch (ExecutionException e) {
      throw node.failure(e.getCause());
    } catch (TimeoutException e) {
      throw node.failure(new IOException("no response within " + MARGIN.toSeconds() + " s", e));
    }
  }

  private <T> T await(Future<T> result)
      throws ExecutionException, TimeoutException, InterruptedException {
    long limitMs = phase.plus(MARGIN).toMillis();
    return result.toCompletionStage().toCompletableFuture().get(limitMs, TimeUnit.MILLISECONDS);
  }

  private static Future<?> all(int count, IntFunction<Future<?>> task) {
    List<Future<?>> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(task.apply(i));
    }
    return Future.all(started);
  }

  /** Requests a page of the admin port on a new connection. */
  private Future<Buffer> get(String path) {
    return http.request(to(node.adminPort()).setSsl(node.hasTls()).setURI(path))
        .compose(HttpClientRequest::send)
        .expecting(HttpResponseExpectation.SC_OK)
        .compose(HttpClientResponse::body);
  }

  private static RequestOptions to(int port) {
    return new RequestOptions().setHost(HOST).setPort(port);
  }

  /** Opens clients one after the other. Each is closed a moment later. */
  private Future<Void> connectUntil(long endNs, int number) {
    Promise<Void> ended = Promise.promise();
    connectNext(ended, endNs, number);
    return ended.future();
  }

  private void connectNext(Promise<Void> ended, long endNs, int number) {
    if (System.nanoTime() >= endNs) {
      ended.complete();
      return;
    }
    open(number, "")
        .onFailure(ended::fail)
        .onSuccess(
            socket -> {
              vertx.setTimer(CONNECTED_MS, later -> socket.close());
              connectNext(ended, endNs, number + 1);
            });
  }

  /** Opens the client with a number. Completes once it is subscribed. */
  private Future<ClientWebSocket> open(int number, String members) {
    Kind kind = MIX.get(number % MIX.size());
    WebSocketConnectOptions to =
        new WebSocketConnectOptions().setHost(HOST).setPort(node.port()).setURI("/ws");
    boolean json = kind == Kind.JSON || kind == Kind.DEFLATE;
    to.addSubProtocol(json ? "sluice.v1.json" : "sluice.v1.bin");
    to.putHeader("User-Agent", "Mozilla/5.0");
    String compressed = kind == Kind.COMPRESSED_FRAMES ? ",\"compressed\":true" : "";
    String subscribe = SUBSCRIBE.formatted(TOPICS + number % TOPIC_COUNT, members);

    ClientWebSocket socket = (kind == Kind.DEFLATE ? deflate : plain).webSocket();
    Promise<ClientWebSocket> subscribed = Promise.promise();
    socket.handler(data -> onData(data, subscribed, socket));
    socket.closeHandler(end -> subscribed.tryFail("the node closed a connection"));
    socket
        .connect(to)
        .compose(open -> open.writeTextMessage(CONNECT.formatted(compressed)))
        .compose(sent -> socket.writeTextMessage(subscribe))
        .onFailure(subscribed::tryFail);
    return subscribed.future();
  }

  private static void onData(
      Buffer data, Promise<ClientWebSocket> subscribed, ClientWebSocket socket) {
    if (!subscribed.future().isComplete() && text(data).contains("\"subscribed\"")) {
      subscribed.tryComplete(socket);
    }
  }

  private static String text(Buffer data) {
    return data.toString(StandardCharsets.ISO_8859_1);
  }

  private Future<Void> publishUntil(long endNs, int number) {
    Promise<Void> ended = Promise.promise();
    open(number, "")
        .onFailure(ended::fail)
        .onSuccess(
            socket -> {
              socket.closeHandler(end -> ended.tryFail("the node closed a connection"));
              publish(socket, TOPICS + number, endNs, ended);
            });
    return ended.future();
  }

  /** Publishes some messages, and the next ones once the node has confirmed them. */
  private static void publish(
      ClientWebSocket socket, String topic, long endNs, Promise<Void> ended) {
    int[] missing = {PUBLISHED_AT_ONCE};
    socket.handler(
        data -> {
          missing[0] -= (int) PUBLISHED.matcher(text(data)).results().count();
          if (missing[0] > 0) {
            return;
          }
          if (System.nanoTime() < endNs) {
            publish(socket, topic, endNs, ended);
          } else {
            ended.tryComplete();
          }
        });
    for (int ref = 1; ref <= PUBLISHED_AT_ONCE; ref++) {
      socket.writeTextMessage(
          "{\"type\":\"publish\",\"ref\":%d,\"topic\":\"%s\",\"payload\":\"%d %s\"}"
              .formatted(ref, topic, System.nanoTime(), PAYLOAD));
    }
  }

  /** Closes all connections. */
  @Override
  public void close() {
    vertx.close();
  }
}
