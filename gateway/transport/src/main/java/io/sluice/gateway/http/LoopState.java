package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.sluice.gateway.admission.OverloadDetector;
import io.sluice.gateway.admission.PendingHandshakes;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.drain.Drain;
import io.sluice.gateway.drain.Rebalancer;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.LatencyRecorder;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.PermissionLosses;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.time.RunningClock;
import io.sluice.gateway.websocket.Deflation;
import io.sluice.gateway.websocket.Inflation;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * State of one event loop: its client connections after the handshake, and their shared resources.
 * Bound to that loop.
 *
 * <p>One periodic tick checks the time limits of all connections. A timer per connection would cost
 * more memory than the rest of an idle connection.
 */
final class LoopState implements Rebalancer.Loop {
  private static final Logger log = LoggerFactory.getLogger(LoopState.class);
  private static final int DEFLATE_LEVEL = 6;

  /** Sessions that are visited before the loop does other work. */
  private static final int VISITED_AT_ONCE = 100;

  /** Never freed, because TLS may keep it queued after the loop's connections have ended. */
  private static final ByteBuf PING = newPing();

  private final EventLoop loop;
  private final TransportLimits limits;
  private final GatewayMetrics metrics;
  private final LatencyRecorder lag;
  private final OverloadDetector overload;
  private final int index;
  private final PendingHandshakes handshakes;
  private final Inflation inflation = new Inflation();
  private final Deflation deflation = new Deflation(PooledByteBufAllocator.DEFAULT, DEFLATE_LEVEL);
  private final ConnectionTable connections = new ConnectionTable();
  private final ClientCollections collections;
  private final RunningClock clock;

  /** Null until the node drains. */
  private Drain.Loop loopDrain;

  boolean stopped;
  private boolean closingExpired;

  /**
   * @param index the loop's number, for metrics
   * @param handshakes pending handshakes of this loop
   */
  LoopState(
      EventLoop loop,
      int index,
      TransportLimits limits,
      GatewayMetrics metrics,
      PendingHandshakes handshakes) {
    this.loop = loop;
    this.limits = limits;
    this.metrics = metrics;
    this.lag = metrics.lagRecorder(index);
    this.index = index;
    this.overload = new OverloadDetector(TimeUnit.MILLISECONDS.toNanos(limits.overloadMs()));
    this.handshakes = handshakes;
    this.collections = new ClientCollections(loop, connections);
    this.clock = new RunningClock(System::nanoTime, limits.tickMs());
  }

  /** Starts the periodic tick. */
  void start() {
    scheduleTick();
  }

  /** Closes every connection at once and releases the shared resources. */
  void stop() {
    stopped = true;
    for (int i = connections.count() - 1; i >= 0; i--) {
      connections.get(i).closeNow();
    }
    inflation.close();
    deflation.close();
  }

  /** Returns whether this is the state of an event loop. */
  boolean isOf(EventLoop other) {
    return loop == other;
  }

  /** Returns whether the loop is overloaded and admits no clients. */
  boolean isOverloaded() {
    return overload.isOverloaded();
  }

  /** Counts that a client exceeded the limit with this key. */
  void onLimit(String key) {
    metrics.limitReached(key);
  }

  TransportLimits limits() {
    return limits;
  }

  PendingHandshakes handshakes() {
    return handshakes;
  }

  /** Returns the frame of a ping, shared by all connections. */
  ByteBuf ping() {
    return PING;
  }

  private static ByteBuf newPing() {
    ByteBuf frame = Unpooled.directBuffer(2, 2);
    WebSocketFrame.writeControl(frame, WebSocketFrame.PING, Unpooled.EMPTY_BUFFER);
    return Unpooled.unreleasableBuffer(frame);
  }

  Inflation inflation() {
    return inflation;
  }

  Deflation deflation() {
    return deflation;
  }

  /** Returns the time of the loop's {@link RunningClock}, in milliseconds. */
  long nowMs() {
    return clock.nowMs();
  }

  /** Returns how late the loop's tick is, in milliseconds. */
  long lateMs() {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(clock.lateNs()));
  }

  /** Returns the time of the first ping. Spreads the pings of simultaneous connections. */
  long firstPing(long nowMs) {
    return nowMs
        + limits.pingMs() / 2
        + Math.floorMod(connections.count() * 7919L, limits.pingMs() / 2 + 1);
  }

  /** Returns the time at which a stream ends. Spreads the ends of simultaneous streams. */
  long streamEnd(long nowMs) {
    long maxMs = limits.streamMs();
    return nowMs + maxMs - Math.floorMod(connections.count() * 7919L, maxMs / 10 + 1);
  }

  /** Changes the number of streams. */
  void addStreams(int change) {
    metrics.streams(change);
  }

  void add(ClientConnection connection) {
    connections.add(connection);
    if (loopDrain != null) {
      loopDrain.onAdded();
    }
    metrics.connectionOpened();
  }

  void remove(ClientConnection connection, int closeCode) {
    connections.remove(connection);
    if (loopDrain != null) {
      loopDrain.onRemoved(connection, closeCode);
    }
    metrics.connectionClosed(closeCode);
    of(connection.sessionId(), log.atDebug()).addKeyValue("code", closeCode).log("client.closed");
  }

  /**
   * Logs the failure of a connection's socket.
   *
   * @param session id of the client's session; empty if it is not open yet
   */
  void onFault(String session, Throwable cause) {
    of(session, log.atDebug()).setCause(cause).log("client.fault");
  }

  /** Logs an internal error. The connection is closed with an error code. */
  void onInternalError(String session, Throwable cause) {
    of(session, log.atError()).setCause(cause).log("client.bug");
  }

  private static LoggingEventBuilder of(String session, LoggingEventBuilder event) {
    return session.isEmpty() ? event : event.addKeyValue("session", session);
  }

  /** Begins to drain the clients of this loop. */
  void drain(Drain drain) {
    loop.execute(() -> loopDrain = drain.begin(connections, loop));
  }

  /** Ends the drain; clients that were notified may be notified again by another one. */
  void undrain() {
    loop.execute(
        () -> {
          loopDrain = null;
          for (int i = 0; i < connections.count(); i++) {
            connections.get(i).endDrain();
          }
        });
  }

  /** Returns whether the loop drains its clients. */
  boolean isDraining() {
    return loopDrain != null;
  }

  /** Selects clients for redirects, asynchronously, on the loop. */
  @Override
  public void rebalance(Rebalancer rebalancer) {
    loop.execute(() -> rebalancer.select(connections, loop));
  }

  /**
   * Ends the sessions whose credentials were revoked.
   *
   * @param closed receives their number, on the loop
   */
  void revoke(Predicate<Peer> revoked, IntConsumer closed) {
    loop.execute(
        () -> {
          int ended = 0;
          for (int i = connections.count() - 1; i >= 0; i--) {
            ended += connections.get(i).onRevoked(revoked) ? 1 : 0;
          }
          closed.accept(ended);
        });
  }

  /**
   * Applies reloaded permissions to all sessions.
   *
   * @param closed receives the number of sessions that end, on the loop
   */
  void reload(IntConsumer closed) {
    int[] ended = new int[1];
    visit(each -> ended[0] += each.onReload() ? 1 : 0, () -> closed.accept(ended[0]));
  }

  /**
   * Adds what each session would lose by a reload.
   *
   * @param next the policy that the reload leads to
   * @param found receives the losses, on the loop
   */
  void losses(SessionPolicy next, PermissionLosses losses, Consumer<PermissionLosses> found) {
    visit(each -> losses.add(each.loss(next)), () -> found.accept(losses));
  }

  /** Visits all connections, in parts between which other work is done. */
  private void visit(Consumer<ClientConnection> visitor, Runnable done) {
    loop.execute(() -> visit(connections.count(), visitor, done));
  }

  // A walk in descending order misses no session: new ones have the new permissions.
  private void visit(int end, Consumer<ClientConnection> visitor, Runnable done) {
    int from = Math.min(end, connections.count());
    int to = Math.max(0, from - VISITED_AT_ONCE);
    for (int i = from - 1; i >= to; i--) {
      visitor.accept(connections.get(i));
    }
    if (to == 0) {
      done.run();
    } else {
      loop.execute(() -> visit(to, visitor, done));
    }
  }

  /**
   * Adds all open sessions to a collector, in slices between which other work is done.
   *
   * @param found receives the result, on the loop
   */
  <R> void collect(ClientCollector<R> collector, Consumer<R> found) {
    loop.execute(() -> collections.add(collector, found));
  }

  private void scheduleTick() {
    LoopTimers.schedule(loop, this::onTick, limits.tickMs(), TimeUnit.MILLISECONDS);
  }

  private void onOverloadChange(long lateNs) {
    if (overload.isOverloaded()) {
      metrics.overloaded(1);
      log.atWarn()
          .addKeyValue("loop", index)
          .addKeyValue("late-ms", TimeUnit.NANOSECONDS.toMillis(lateNs))
          .log("loop.overloaded");
    } else {
      metrics.overloaded(-1);
      log.atInfo().addKeyValue("loop", index).log("loop.recovered");
    }
  }

  // Thousands may expire at once. A timer lets sockets and messages be served between the parts.
  private void closeExpiredHandshakes() {
    closingExpired = !stopped && handshakes.closeExpired(nowMs());
    if (closingExpired) {
      LoopTimers.schedule(loop, this::closeExpiredHandshakes, 0, TimeUnit.NANOSECONDS);
    }
  }

  private void onTick() {
    if (stopped) {
      return;
    }
    long lateNs = clock.lateNs();
    lag.record(Math.max(0, TimeUnit.NANOSECONDS.toMicros(lateNs)), 1);
    if (overload.onTick(lateNs)) {
      onOverloadChange(lateNs);
    }
    long lateMs = lateMs();
    boolean judges = clock.tick();
    scheduleTick(); // first: without ticks no connection would time out
    long nowMs = nowMs();
    // In descending order, because a closed connection is replaced by the last one.
    for (int i = connections.count() - 1; i >= 0; i--) {
      tick(connections.get(i), nowMs, lateMs, judges);
    }
    if (judges && !closingExpired) {
      closeExpiredHandshakes();
    }
  }

  /** Ticks one connection. Closes it if that fails, so that the others of the loop are ticked. */
  private void tick(ClientConnection connection, long nowMs, long lateMs, boolean judges) {
    try {
      connection.onTick(nowMs, lateMs, judges);
    } catch (RuntimeException e) {
      close(connection, e);
    }
  }

  private void close(ClientConnection connection, RuntimeException failure) {
    try {
      connection.onFault(failure);
    } catch (RuntimeException again) {
      onInternalError(connection.sessionId(), again);
    }
  }
}
