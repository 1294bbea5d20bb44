package io.sluice.gateway.http;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.sluice.gateway.admission.AdmissionCheck;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.HandshakeQuota;
import io.sluice.gateway.admission.NodeAdmission;
import io.sluice.gateway.admission.PendingHandshakes;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.drain.Drain;
import io.sluice.gateway.drain.DrainPacer;
import io.sluice.gateway.drain.GracefulShutdown;
import io.sluice.gateway.drain.Rebalancer;
import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.session.MoveReason;
import io.sluice.gateway.session.Moves;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.session.SessionQuery;
import io.sluice.gateway.session.SessionSummary;
import io.sluice.gateway.tls.Tls;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The port on which clients connect, spread over all event loops. For any thread. */
public final class ClientPorts implements GracefulShutdown.Clients, Tls.Listener {
  private static final long SWEEP_MS = 1000;

  private final Vertx vertx;
  private final ClientPortOptions options;
  private final NodeAdmission admission;
  private final HandshakeQuota places;
  private final GatewayMetrics metrics;
  private final List<LoopState> loops = new CopyOnWriteArrayList<>();
  private volatile int port;
  private volatile String transport;

  /** Null until the node drains. */
  private volatile Drain drain;

  /** Null until the port is open. */
  private volatile Moves moves;

  /** Creates the port of a node, closed. */
  public ClientPorts(Vertx vertx, ClientPortOptions options, GatewayMetrics metrics) {
    this.vertx = vertx;
    this.options = options;
    this.metrics = metrics;
    this.admission = new NodeAdmission(options.quotas(), metrics);
    this.places =
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
  public Future<?> open(Tls tls, int eventLoops, Hub hub, SessionPolicy policy, Pages pages) {
    moves = policy.moves();
    RefusedHandshakes refused =
        new RefusedHandshakes(metrics, policy.audit(), options.auditRate(), System::nanoTime);
    vertx.setPeriodic(SWEEP_MS, timer -> sweep());
    return vertx.deployVerticle(
        () -> new ClientPort(options, tls, this, hub, policy, metrics, refused, pages),
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

  /** The port that was bound. */
  public int port() {
    return port;
  }

  /** How messages leave: io-uring, epoll, or through channels. */
  public String transport() {
    return transport;
  }

  /** How many WebSockets there are. */
  @Override
  public int connections() {
    return admission.connections();
  }

  /**
   * From now on clients that follow redirects may be sent elsewhere when they come, and stay a
   * while if they are not. To be called once the port is open.
   *
   * @param entries where the client should go that comes now, or null if it is welcome; asked on
   *     event loops
   * @param rest for how long at least a client is not told by {@link #shed} after it has come, or
   *     was told before
   */
  public void balance(Supplier<String> entries, Duration rest) {
    moves.begin(entries, rest);
  }

  /** Clients that follow redirects, and were not told to go, or not lately. */
  public int movable() {
    return moves == null ? 0 : moves.movable();
  }

  /** Clients that {@link #shed} has told to go, lately, and that are still here. */
  public int moving() {
    return moves == null ? 0 : moves.moving();
  }

  /**
   * Tells clients that follow redirects of better places, at random moments.
   *
   * @param clients how many of them at most
   * @param withinMs in which they are told
   * @param places where the next one should go, or null if nowhere; asked on event loops
   * @return how many were chosen, soon; at its moment nobody is told who has left by then, whose
   *     place is gone, or whose node drains
   */
  public CompletionStage<Integer> shed(
      int clients, long withinMs, Supplier<RedirectTarget> places) {
    return move(clients, withinMs, places, MoveReason.BALANCE);
  }

  /** The same for clients of a node without its broker, also those that came a moment ago. */
  public CompletionStage<Integer> evacuate(
      int clients, long withinMs, Supplier<RedirectTarget> places) {
    return move(clients, withinMs, places, MoveReason.BROKER_LOST);
  }

  private CompletionStage<Integer> move(
      int clients, long withinMs, Supplier<RedirectTarget> places, MoveReason reason) {
    return new Rebalancer(loops, Math.min(clients, movable()), withinMs, places, reason).begin();
  }

  /**
   * From now on the node takes no clients, and sends away those that it has.
   *
   * @param places where the next client should go, or null for its own addresses; any thread
   * @return how it goes; to be ticked, or nobody is told anything before the last tenth of the time
   */
  @Override
  public Drain drain(long drainMs, DrainPacer pace, Supplier<String> places) {
    Drain begun = new Drain(drainMs, pace, places, loops.size(), metrics);
    drain = begun;
    admission.drain();
    loops.forEach(loop -> loop.drain(begun));
    return begun;
  }

  /** Clients that have not been told to leave. */
  public int untold() {
    Drain begun = drain;
    return begun == null ? connections() : begun.untold(connections());
  }

  /**
   * Ends the sessions whose credentials were withdrawn.
   *
   * @return how many, once all event loops have been asked
   */
  public CompletionStage<Integer> revoke(Predicate<Peer> revoked) {
    CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
    for (LoopState loop : loops) {
      CompletableFuture<Integer> closed = new CompletableFuture<>();
      loop.revoke(revoked, closed::complete);
      all = all.thenCombine(closed, Integer::sum);
    }
    return all;
  }

  /** The first sessions that an operator asks for, in the order in which they began. */
  public CompletionStage<List<SessionSummary>> sessions(SessionQuery query) {
    CompletableFuture<SessionPage> all =
        CompletableFuture.completedFuture(new SessionPage(query.limit()));
    for (LoopState loop : loops) {
      CompletableFuture<List<SessionSummary>> found = new CompletableFuture<>();
      loop.list(query, found::complete);
      all = all.thenCombine(found, SessionPage::addAll);
    }
    return all.thenApply(SessionPage::sessions);
  }

  /** Refuses every request from now on with 503, because the node is stopping. */
  public void stop() {
    admission.stop();
  }

  /**
   * @param gate who may go on when its address is known; null if everybody may
   */
  synchronized LoopState newLoop(EventLoop loop, AdmissionCheck gate) {
    TransportLimits limits = options.limits();
    LoopState added =
        new LoopState(
            loop,
            loops.size(),
            limits,
            metrics,
            new PendingHandshakes(
                metrics,
                limits.handshakeMs(),
                limits.maxHandshakes(),
                options.headerProxies(),
                gate,
                places));
    loops.add(added);
    return added;
  }

  /** Returns the admission state that all event loops share. */
  NodeAdmission admission() {
    return admission;
  }

  /** TLS connections are pending handshakes from their first moment. */
  @Override
  public void onAccepted(Channel channel) {
    LoopState loop = connectionsOf(channel.eventLoop());
    loop.handshakes().add(channel, loop.nowMs());
  }

  @Override
  public void onHandshakeFailed(Channel channel) {
    connectionsOf(channel.eventLoop()).handshakes().onTlsFailed(channel);
  }

  @Override
  public void onClosed(Channel channel) {
    connectionsOf(channel.eventLoop()).handshakes().remove(channel);
  }

  private LoopState connectionsOf(EventLoop loop) {
    for (LoopState candidate : loops) {
      if (candidate.isOf(loop)) {
        return candidate;
      }
    }
    throw new IllegalStateException("a connection on a loop that has no port");
  }

  void onListening(int bound, String how) {
    port = bound;
    transport = how;
  }
}
