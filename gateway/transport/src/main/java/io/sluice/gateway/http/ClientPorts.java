package io.sluice.gateway.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.sluice.gateway.admission.AdmissionCheck;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.HandshakeQuota;
import io.sluice.gateway.admission.NodeAdmission;
import io.sluice.gateway.admission.PendingHandshakes;
import io.sluice.gateway.admission.RefusalLog;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.config.WebOrigin;
import io.sluice.gateway.drain.Drain;
import io.sluice.gateway.drain.Rebalancer;
import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.PermissionLosses;
import io.sluice.gateway.session.RedirectCooldown;
import io.sluice.gateway.session.RedirectReason;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.socket.AcceptedChannel;
import io.sluice.gateway.socket.ClientTransport;
import io.sluice.gateway.socket.RequestWatch;
import io.sluice.gateway.tls.Tls;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Port on which clients connect, served by all event loops. For any thread. */
public final class ClientPorts implements Drain.Clients, Tls.Listener {
  private static final long SWEEP_MS = 1000;

  private final Vertx vertx;
  private final ClientTransport transports;
  private final ClientPortOptions options;
  private final OpenProtocols protocols;
  private final ClientFiles clientFiles;
  private final NodeAdmission admission;
  private final HandshakeQuota handshakeQuota;
  private final GatewayMetrics metrics;
  private final RefusalLog refusalLog;
  private final List<LoopState> loops = new CopyOnWriteArrayList<>();
  private volatile int port;
  private volatile String transport;

  /** Null until the node drains. */
  private volatile Drain drain;

  /** Null until the port is open. */
  private volatile RedirectCooldown cooldown;

  /**
   * Creates the port of a node, closed.
   *
   * @param transports the transport of {@code vertx}
   */
  public ClientPorts(
      Vertx vertx,
      ClientTransport transports,
      ClientPortOptions options,
      OpenProtocols protocols,
      GatewayMetrics metrics) {
    this.protocols = protocols;
    this.vertx = vertx;
    this.transports = transports;
    this.options = options;
    this.metrics = metrics;
    this.refusalLog = new RefusalLog(metrics, System::nanoTime);
    this.clientFiles = new ClientFiles();
    this.admission = new NodeAdmission(options.quotas(), metrics);
    this.handshakeQuota =
        new HandshakeQuota(
            new ClientAddresses(options.addresses()),
            options.quotas().address().connections(),
            metrics);
  }

  /**
   * Opens the port, once on each event loop; fails if it cannot be bound.
   *
   * @param tls null for plain text
   */
  public Future<?> open(
      Tls tls,
      int eventLoops,
      Hub hub,
      SessionPolicy policy,
      SessionFeature.Table features,
      Pages pages) {
    cooldown = policy.cooldown();
    RefusedHandshakes refused =
        new RefusedHandshakes(refusalLog, policy.audit(), AuditLog.RATE, System::nanoTime);
    vertx.setPeriodic(SWEEP_MS, timer -> sweep());
    return vertx.deployVerticle(
        () ->
            new ClientPort(
                options, transports, tls, this, hub, policy, features, metrics, refused, pages),
        new DeploymentOptions().setInstances(eventLoops));
  }

  private void sweep() {
    try {
      vertx.executeBlocking(
          () -> {
            admission.sweep();
            return null;
          });
    } catch (RejectedExecutionException stopping) {
      // The node ends its worker threads before its event loops.
    }
  }

  /** Returns the open protocols. */
  OpenProtocols protocols() {
    return protocols;
  }

  ClientFiles clientFiles() {
    return clientFiles;
  }

  /** Returns the bound port. */
  public int port() {
    return port;
  }

  /** Returns the transport in use: io-uring, epoll or channels. */
  public String transport() {
    return transport;
  }

  /** Returns the number of client connections. */
  @Override
  public int connections() {
    return admission.connections();
  }

  /**
   * Enables balancing of clients that follow redirects. To be called when the port is open.
   *
   * @param entryTargets supplies the redirect target of a new client, or null if the node admits
   *     it; called on event loops
   * @param rest minimum time between a client's arrival or redirect and a redirect by {@link
   *     #rebalance}
   */
  public void balance(Supplier<String> entryTargets, Duration rest) {
    cooldown.enable(entryTargets, rest);
  }

  /** Returns the number of clients that follow redirects and have no recent redirect. */
  public int movable() {
    return cooldown == null ? 0 : cooldown.movable();
  }

  /** Returns the number of clients that were redirected recently and are still connected. */
  public int moving() {
    return cooldown == null ? 0 : cooldown.redirected();
  }

  /**
   * Redirects clients that follow redirects, at random times.
   *
   * @param clients maximum number of clients to redirect
   * @param withinMs period in which they are redirected
   * @param targets supplies the target of the next client, or null if there is none; called on
   *     event loops
   * @return completes with the number of selected clients. A client is not redirected if, at its
   *     time, it has disconnected, its target is closed or its node drains.
   */
  public CompletionStage<Integer> rebalance(
      int clients, long withinMs, Supplier<RedirectTarget> targets) {
    return move(clients, withinMs, targets, RedirectReason.BALANCE);
  }

  /** Redirects clients of a node without its broker, including those that just arrived. */
  public CompletionStage<Integer> evacuate(
      int clients, long withinMs, Supplier<RedirectTarget> targets) {
    return move(clients, withinMs, targets, RedirectReason.BROKER_LOST);
  }

  private CompletionStage<Integer> move(
      int clients, long withinMs, Supplier<RedirectTarget> targets, RedirectReason reason) {
    return new Rebalancer(loops, Math.min(clients, movable()), withinMs, targets, reason).begin();
  }

  @Override
  public int loops() {
    return loops.size();
  }

  @Override
  public void drain(Drain begun) {
    drain = begun;
    admission.drain();
    loops.forEach(loop -> loop.drain(begun));
  }

  @Override
  public void undrain() {
    drain = null;
    loops.forEach(LoopState::undrain);
    admission.undrain();
  }

  /** Returns the number of clients that a drain has not notified. */
  public int unnotified() {
    Drain begun = drain;
    return begun == null ? connections() : begun.unnotified();
  }

  /**
   * Ends the sessions whose credentials were withdrawn.
   *
   * @return completes with their number when all event loops are done
   */
  public CompletionStage<Integer> revoke(Predicate<Peer> revoked) {
    return forAllLoops((loop, closed) -> loop.revoke(revoked, closed));
  }

  /** Applies reloaded origins and quotas to later handshakes and requests. */
  public void reload(List<String> origins, QuotaOptions quotas) {
    options.origins().replace(WebOrigin.normalized(origins));
    admission.reload(quotas);
  }

  /**
   * Applies reloaded permissions to all sessions.
   *
   * @return completes with the number of sessions that end, when all event loops are done
   */
  public CompletionStage<Integer> reloadPermissions() {
    return forAllLoops(LoopState::reload);
  }

  /**
   * Returns what sessions would lose by a reload.
   *
   * @param next the policy that the reload leads to
   */
  public CompletionStage<PermissionLosses> losses(SessionPolicy next) {
    CompletableFuture<PermissionLosses> all =
        CompletableFuture.completedFuture(new PermissionLosses());
    for (LoopState loop : loops) {
      CompletableFuture<PermissionLosses> found = new CompletableFuture<>();
      loop.losses(next, new PermissionLosses(), found::complete);
      all = all.thenCombine(found, PermissionLosses::add);
    }
    return all;
  }

  private CompletionStage<Integer> forAllLoops(BiConsumer<LoopState, IntConsumer> action) {
    CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
    for (LoopState loop : loops) {
      CompletableFuture<Integer> done = new CompletableFuture<>();
      action.accept(loop, done::complete);
      all = all.thenCombine(done, Integer::sum);
    }
    return all;
  }

  /**
   * Adds the sessions of each event loop to a collector of the loop.
   *
   * @return completes with the results when all event loops are done
   */
  public <R> CompletionStage<List<R>> collect(Supplier<ClientCollector<R>> collectors) {
    CompletableFuture<List<R>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (LoopState loop : loops) {
      CompletableFuture<R> found = new CompletableFuture<>();
      loop.collect(collectors.get(), found::complete);
      all = all.thenCombine(found, ClientPorts::plus);
    }
    return all;
  }

  private static <R> List<R> plus(List<R> results, R result) {
    results.add(result);
    return results;
  }

  /** Rejects every further request with status 503, because the node is stopping. */
  public void stop() {
    admission.stop();
  }

  /**
   * Adds an event loop.
   *
   * @param check applied when a connection's source address is determined; null: none
   */
  synchronized LoopState newLoop(EventLoop loop, AdmissionCheck check) {
    TransportLimits limits = options.limits();
    LoopState added =
        new LoopState(
            loop,
            loops.size(),
            limits,
            metrics,
            new PendingHandshakes(
                refusalLog,
                limits.handshakeMs(),
                limits.maxHandshakes(),
                options.headerProxies(),
                check,
                handshakeQuota));
    loops.add(added);
    return added;
  }

  /** Returns the admission state that all event loops share. */
  NodeAdmission admission() {
    return admission;
  }

  /** Adds an accepted TLS connection to the pending handshakes. */
  @Override
  public void onAccepted(Channel channel) {
    LoopState loop = stateOf(channel.eventLoop());
    loop.handshakes().add(AcceptedChannel.of(channel), loop.nowMs());
  }

  @Override
  public void onHandshakeFailed(Channel channel, ChannelHandlerContext tls, boolean plain) {
    if (plain) {
      RequestWatch.refuse(tls, Refusal.withoutTls().with(Refusal.READABLE));
    }
    stateOf(channel.eventLoop()).handshakes().onTlsFailed(AcceptedChannel.of(channel));
  }

  @Override
  public void onClosed(Channel channel) {
    stateOf(channel.eventLoop()).handshakes().remove(AcceptedChannel.of(channel));
  }

  private LoopState stateOf(EventLoop loop) {
    for (LoopState candidate : loops) {
      if (candidate.isOf(loop)) {
        return candidate;
      }
    }
    throw new IllegalStateException("connection on an event loop without a port");
  }

  void onListening(int boundPort, String usedTransport) {
    port = boundPort;
    transport = usedTransport;
  }
}
