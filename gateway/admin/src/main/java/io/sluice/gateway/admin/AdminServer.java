package io.sluice.gateway.admin;

import io.sluice.gateway.admin.console.ConsoleFiles;
import io.sluice.gateway.admin.login.OidcLogin;
import io.sluice.gateway.admin.query.NodeSource;
import io.sluice.gateway.admin.query.Queries;
import io.sluice.gateway.admin.query.QueryOptions;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.value.JsonText;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP server of the admin port: liveness, readiness, metrics, and commands for clients and the
 * cluster. Any thread may call it.
 *
 * <p>It has a separate Vert.x with one event loop and one worker. It responds while the clients'
 * event loops are busy, and a scrape delays neither them nor the health pages.
 */
public final class AdminServer {
  /** Maximum number of running and queued scrapes; further ones are answered with 503. */
  static final int MAX_SCRAPES = 4;

  private static final Logger log = LoggerFactory.getLogger(AdminServer.class);
  private static final String NO_SUCH_PAGE = "no such page; there are " + AdminRoute.paths();
  private static final long RELOAD_MS = 2_000;

  private final Exposition exposition;
  private final Supplier<List<String>> notReady;
  private final NodeSource source;
  private final AdminOptions admin;
  private final AdminGuard guard;
  private final PresencePage presence;
  private final RevocationPages revocations;
  private final DurablePages durables;
  private final ClusterPages cluster;
  private final Queries queried;
  private final QueryPages queries;
  private final ConfigPage config;
  private final ClientActions actions;
  private final ReloadPage reloads;
  private final LoggerPages loggers;
  private final ConsoleFiles console;
  private final Vertx vertx;
  private final AdminConnections connections;
  private final AdminTls tls;
  private final HttpServerOptions options;
  private final HttpServer server;
  private final AtomicInteger scrapes = new AtomicInteger();

  /**
   * Creates a server that is not started.
   *
   * @param tokens tokens of operators
   * @param oidc login of operators by OpenID Connect; null without one
   * @param notReady reasons why the node is not ready, empty if it is; called on the admin event
   *     loop, and must not block
   * @param access revocations, and the audit log of commands
   * @param queues durable subscriptions at the broker; null without their module
   * @param source figures of this node for queries
   */
  public AdminServer(
      AdminOptions admin,
      AdminTokens tokens,
      OidcLogin oidc,
      Exposition exposition,
      Supplier<List<String>> notReady,
      Access access,
      NodeClients clients,
      Queues queues,
      ClusterView cluster,
      NodeSource source,
      QueryOptions queryOptions,
      EffectiveConfig effective,
      ConfigReload reload) {
    this.admin = admin;
    this.exposition = exposition;
    this.notReady = notReady;
    this.source = source;
    this.vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
    this.guard = new AdminGuard(admin, tokens, oidc, access.audit());
    this.presence = new PresencePage(vertx, clients);
    this.revocations = new RevocationPages(vertx, access, clients);
    this.durables = new DurablePages(vertx, queues, access.audit());
    this.cluster = new ClusterPages(cluster, access.audit());
    this.queried = new Queries(vertx, source, cluster::nodes, queryOptions);
    this.queries =
        new QueryPages(queried, queried.tails(vertx, queryOptions.tail()), access.audit());
    this.actions = new ClientActions(queried, cluster, access.audit());
    this.config = new ConfigPage(vertx, effective);
    this.reloads = new ReloadPage(vertx, reload);
    this.loggers = new LoggerPages(vertx, access.audit());
    this.console = new ConsoleFiles(vertx, oidc);
    this.connections = new AdminConnections(admin);
    this.tls = AdminTls.of(admin);
    this.options = options();
    this.server =
        vertx
            .createHttpServer(options)
            .connectionHandler(accepted -> connections.add(accepted, connections.nowMs()))
            .requestHandler(this::onRequest);
  }

  /** Starts to listen. A failure contains the address and its configuration keys. */
  public Future<Void> start() {
    vertx.setPeriodic(RELOAD_MS, tick -> unlessStopping(() -> vertx.executeBlocking(this::reload)));
    if (tls != null) {
      vertx.setPeriodic(RELOAD_MS, tick -> unlessStopping(this::renew));
    }
    vertx.setPeriodic(connections.sweepMs(), tick -> connections.onTick());
    return server.listen().mapEmpty().recover(this::explain).mapEmpty();
  }

  /** Returns the actual port, also if the configured one is 0. */
  public int port() {
    return server.actualPort();
  }

  /** Returns the address of the console; {@code off} if it is disabled. */
  public String console() {
    if (!admin.console()) {
      return "off";
    }
    String host = admin.host().contains(":") ? "[" + admin.host() + "]" : admin.host();
    return (tls == null ? "http://" : "https://") + host + ":" + port() + "/console/";
  }

  /** Ends operators' changes of log levels and applies new configured levels. */
  public void onLogLevelsReloaded(Runnable configured) {
    loggers.reconfigure(configured);
  }

  /** Stops to listen, closes all connections and terminates its threads. */
  public Future<Void> close() {
    return vertx.close();
  }

  private static void unlessStopping(Runnable task) {
    try {
      task.run();
    } catch (RejectedExecutionException stopping) {
      // The worker thread ends before the event loop.
    }
  }

  private Void reload() {
    endConnectionsIf(guard.reload());
    return null;
  }

  /** Applies changed settings of tokens; waits for the disk. */
  public void reloadTokens(AdminOptions next) {
    endConnectionsIf(guard.reload(next));
  }

  private void endConnectionsIf(boolean withdrawn) {
    if (withdrawn) {
      vertx.runOnContext(
          task -> {
            queries.endTails();
            connections.endAll();
          });
    }
  }

  private void renew() {
    vertx.executeBlocking(tls::renewal).onSuccess(this::renew);
  }

  private void renew(AdminTls.Renewal renewal) {
    if (renewal == null) {
      return;
    }
    ServerSSLOptions next = options.getSslOptions().copy().setKeyCertOptions(renewal.pair());
    server
        .updateSSLOptions(next, true)
        .onSuccess(done -> tls.onUsed(renewal))
        .onFailure(cause -> tls.onFailure(String.valueOf(cause)));
  }

  private HttpServerOptions options() {
    HttpServerOptions made =
        new HttpServerOptions()
            .setHost(admin.host())
            .setPort(admin.port())
            .setHttp2ClearTextEnabled(false)
            .setUseAlpn(false); // one HTTP/2 connection could multiplex many requests
    if (tls != null) {
      tls.secure(made);
      made.setSslEngineOptions(new AdminTlsEngine(connections));
    }
    return made;
  }

  private Future<Object> explain(Throwable cause) {
    String text =
        "cannot listen on "
            + admin.host()
            + ":"
            + admin.port()
            + " (admin.host, admin.port): "
            + cause.getMessage();
    return Future.failedFuture(new IOException(text, cause));
  }

  private void onRequest(HttpServerRequest request) {
    connections.onRequest(request, connections.nowMs());
    if (admin.console() && ConsoleFiles.matches(request.path())) {
      console.serve(request);
      return;
    }
    AdminRoute route = AdminRoute.of(request.path()).orElse(null);
    if (route == null) {
      Responses.text(request, 404, NO_SUCH_PAGE);
      return;
    }
    guard
        .check(request, route.access())
        .onSuccess(
            verdict -> {
              onVerdict(verdict, route, request);
              request.resume();
            });
  }

  private void onVerdict(AdminGuard.Verdict verdict, AdminRoute route, HttpServerRequest request) {
    if (verdict instanceof AdminGuard.Admitted admitted) {
      if (route.methods().contains(request.method())) {
        if (Responses.isRead(request)) {
          serve(route, request, admitted);
        } else {
          change(route, request, admitted);
        }
      } else {
        Responses.notAllowed(request, route.methods());
      }
    } else if (verdict instanceof AdminGuard.Refusal refusal) {
      refuse(request, refusal);
    }
  }

  private void change(AdminRoute route, HttpServerRequest request, AdminGuard.Admitted admitted) {
    Set<String> unknown = new TreeSet<>(request.params().names());
    unknown.removeAll(route.parametersOfChanges());
    if (!unknown.isEmpty()) {
      String known = String.join(", ", new TreeSet<>(route.parametersOfChanges()));
      String end = known.isEmpty() ? "there are none" : "known are " + known;
      String first = JsonText.quoted(unknown.iterator().next());
      Responses.text(request, 400, "unknown parameter " + first + "; " + end);
      return;
    }
    // The operator's next query sees the effect.
    request.response().headersEndHandler(done -> queried.onCommand());
    serve(route, request, admitted);
  }

  private static void refuse(HttpServerRequest request, AdminGuard.Refusal refusal) {
    if (refusal.status() == 401) {
      request.response().putHeader("WWW-Authenticate", "Bearer realm=\"sluice\"");
    }
    Responses.text(request, refusal.status(), refusal.message());
  }

  private void serve(AdminRoute route, HttpServerRequest request, AdminGuard.Admitted admitted) {
    Operator by = admitted.operator();
    switch (route) {
      case LIVE -> Responses.json(request, 200, status("live"));
      case READY -> onReady(request);
      case LOGIN -> Responses.json(request, 200, guard.logins());
      case METRICS -> onMetrics(request);
      case PRESENCE -> presence.serve(request);
      case REVOCATIONS -> revocations.serve(request, by);
      case REVOCATION -> revocations.restore(request, by);
      case DURABLES -> durables.serve(request, by);
      case TOPICS, TOPIC, CLIENTS, CLIENT, WHY, OVERVIEW, AUDIT ->
          queries.serve(route, request, by);
      case CLUSTER -> cluster.list(request);
      case DISCONNECT, REDIRECT, TRACE -> actions.serve(route, request, by);
      case TAIL -> queries.serveTail(request, by, admitted.expiresMs());
      case CONFIG -> config.serve(request);
      case DRAIN -> cluster.drain(request, by);
      case UNDRAIN -> cluster.undrain(request, by);
      case REBALANCE -> cluster.rebalance(request, by);
      case RELOAD -> reloads.serve(request, by);
      case LOGGERS -> loggers.serve(request, by);
    }
  }

  private void onReady(HttpServerRequest request) {
    List<String> reasons = notReady.get();
    String waiting = source.waiting();
    if (reasons.isEmpty()) {
      JsonObject ready = status("ready");
      Responses.json(request, 200, waiting.isEmpty() ? ready : ready.put("waiting", waiting));
    } else {
      JsonObject body =
          new JsonObject().put("status", "not-ready").put("reasons", new JsonArray(reasons));
      Responses.json(request, 503, body);
    }
  }

  private void onMetrics(HttpServerRequest request) {
    if (scrapes.incrementAndGet() > MAX_SCRAPES) {
      scrapes.decrementAndGet();
      Responses.text(request, 503, "more than " + MAX_SCRAPES + " concurrent scrapes");
      return;
    }
    ScrapeFormat format = ScrapeFormat.accepting(request.getHeader("Accept"));
    vertx
        .executeBlocking(() -> Buffer.buffer(exposition.scrape(format)))
        .onComplete(done -> scrapes.decrementAndGet())
        .onSuccess(body -> Responses.send(request, 200, format.contentType(), body))
        .onFailure(cause -> onScrapeFailed(request, cause));
  }

  private void onScrapeFailed(HttpServerRequest request, Throwable cause) {
    log.atError().setCause(cause).log("admin.scrape-failed");
    Responses.text(request, 500, "the metrics cannot be exported: " + cause);
  }

  private static JsonObject status(String word) {
    return new JsonObject().put("status", word);
  }
}
