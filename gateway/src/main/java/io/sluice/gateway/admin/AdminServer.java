package io.sluice.gateway.admin;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operator's port: whether the node lives, whether it is ready, and its metrics. Any thread may
 * start, ask and close it.
 *
 * <p>It has a Vert.x of its own, one event loop and one worker: it answers while the clients' event
 * loops are busy, and a scrape delays neither them nor the health pages.
 */
public final class AdminServer {
  /** Scrapes that may run or wait; past it a scrape is answered with 503. */
  static final int MAX_SCRAPES = 4;

  private static final Logger log = LoggerFactory.getLogger(AdminServer.class);
  private static final int IDLE_SECONDS = 60;
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";

  private final String host;
  private final int configuredPort;
  private final Exposition exposition;
  private final Supplier<List<String>> notReady;
  private final Vertx vertx;
  private final HttpServer server;
  private final AtomicInteger scrapes = new AtomicInteger();

  /**
   * Prepares the server; nothing listens before {@link #start}.
   *
   * @param notReady why the node is not ready, empty if it is; called on the admin server's event
   *     loop, so it must not block
   */
  public AdminServer(Config config, Exposition exposition, Supplier<List<String>> notReady) {
    this.host = config.get(Settings.ADMIN_HOST);
    this.configuredPort = config.get(Settings.ADMIN_PORT);
    this.exposition = exposition;
    this.notReady = notReady;
    this.vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
    this.server = vertx.createHttpServer(options()).requestHandler(this::onRequest);
  }

  /** Listens; a failure names the address and the keys that set it. */
  public Future<Void> start() {
    return server.listen().mapEmpty().recover(this::explain).mapEmpty();
  }

  /** The port that it listens on, also where the configured one is 0. */
  public int port() {
    return server.actualPort();
  }

  /** Stops listening, cuts what is open and ends its threads. */
  public Future<Void> close() {
    return vertx.close();
  }

  private HttpServerOptions options() {
    return new HttpServerOptions()
        .setHost(host)
        .setPort(configuredPort)
        .setIdleTimeout(IDLE_SECONDS);
  }

  private Future<Object> explain(Throwable cause) {
    String text =
        "cannot listen on "
            + host
            + ":"
            + configuredPort
            + " (admin.host, admin.port): "
            + cause.getMessage();
    return Future.failedFuture(new IOException(text, cause));
  }

  private void onRequest(HttpServerRequest request) {
    switch (request.path()) {
      case "/health/live" -> ifRead(request, () -> answer(request, 200, JSON, status("live")));
      case "/health/ready" -> ifRead(request, () -> onReady(request));
      case "/metrics" -> ifRead(request, () -> onMetrics(request));
      default ->
          answer(
              request,
              404,
              TEXT,
              Buffer.buffer("no such page; there are /health/live, /health/ready, /metrics\n"));
    }
  }

  private void ifRead(HttpServerRequest request, Runnable page) {
    if (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD)) {
      page.run();
      return;
    }
    request.response().putHeader("Allow", "GET, HEAD");
    answer(request, 405, TEXT, Buffer.buffer("only GET and HEAD are allowed here\n"));
  }

  private void onReady(HttpServerRequest request) {
    List<String> reasons = notReady.get();
    if (reasons.isEmpty()) {
      answer(request, 200, JSON, status("ready"));
    } else {
      JsonObject body =
          new JsonObject().put("status", "not-ready").put("reasons", new JsonArray(reasons));
      answer(request, 503, JSON, body.toBuffer());
    }
  }

  private void onMetrics(HttpServerRequest request) {
    if (scrapes.incrementAndGet() > MAX_SCRAPES) {
      scrapes.decrementAndGet();
      answer(request, 503, TEXT, Buffer.buffer("too many scrapes at once\n"));
      return;
    }
    ScrapeFormat format = ScrapeFormat.accepting(request.getHeader("Accept"));
    vertx
        .executeBlocking(() -> Buffer.buffer(exposition.scrape(format)))
        .onComplete(done -> scrapes.decrementAndGet())
        .onSuccess(body -> answer(request, 200, format.contentType(), body))
        .onFailure(cause -> onScrapeFailed(request, cause));
  }

  private void onScrapeFailed(HttpServerRequest request, Throwable cause) {
    log.atError().setCause(cause).log("admin.scrape-failed");
    answer(request, 500, TEXT, Buffer.buffer("the metrics cannot be read: " + cause + "\n"));
  }

  private static Buffer status(String word) {
    return new JsonObject().put("status", word).toBuffer();
  }

  private static void answer(
      HttpServerRequest request, int status, String contentType, Buffer body) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return;
    }
    response
        .setStatusCode(status)
        .putHeader("Content-Type", contentType)
        .putHeader("Content-Length", Integer.toString(body.length()))
        .putHeader("Cache-Control", "no-store");
    if (request.method().equals(HttpMethod.HEAD)) {
      response.end();
    } else {
      response.end(body);
    }
  }
}
