package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.sluice.gateway.admission.OverloadDetector;
import io.sluice.gateway.admission.PendingHandshakes;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.drain.Drain;
import io.sluice.gateway.drain.LoopDrain;
import io.sluice.gateway.drain.Rebalancer;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.LatencyRecorder;
import io.sluice.gateway.protocol.Deflation;
import io.sluice.gateway.protocol.WebSocketFrame;
import io.sluice.gateway.session.SessionQuery;
import io.sluice.gateway.session.SessionSummary;
import io.sluice.gateway.websocket.Inflation;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of one event loop: its client connections after HTTP, and the resources that they share.
 * Bound to that loop.
 *
 * <p>One sweep looks after the time limits of all of them: a timer for each would cost more memory
 * than the rest of an idle connection.
 */
final class LoopState implements Rebalancer.Loop {
  private static final Logger log = LoggerFactory.getLogger(LoopState.class);
  private static final int DEFLATE_LEVEL = 6;

  /** Never freed, because TLS may keep it queued for longer than its loop's connections live. */
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

  /** Null until the node drains. */
  private LoopDrain departure;

  private boolean stopped;
  private boolean cutting;
  private long expectedTickNs;

  /**
   * @param index the loop's number, for metrics
   * @param handshakes the connections of this loop before they come here
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
  }

  /** Begins to sweep, until the loop ends. */
  void start() {
    scheduleTick();
  }

  /** Ends every connection at once, and gives back what they shared. */
  void stop() {
    stopped = true;
    for (int i = connections.count() - 1; i >= 0; i--) {
      connections.get(i).cut();
    }
    inflation.close();
    deflation.close();
  }

  /** Whether it is the one of this loop. */
  boolean isOf(EventLoop other) {
    return loop == other;
  }

  /** Whether the loop is too busy for new clients. */
  boolean isOverloaded() {
    return overload.isOverloaded();
  }

  /** A client has gone over the limit with this key. */
  void onLimit(String key) {
    metrics.limitReached(key);
  }

  TransportLimits limits() {
    return limits;
  }

  PendingHandshakes handshakes() {
    return handshakes;
  }

  /** The frame of a ping, for whoever sends one. */
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

  /** A clock for time limits, in milliseconds, that no change of the system's time moves. */
  long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** When to ping first; spreads the pings of connections that came at the same time. */
  long firstPing(long nowMs) {
    return nowMs
        + limits.pingMs() / 2
        + Math.floorMod(connections.count() * 7919L, limits.pingMs() / 2 + 1);
  }

  /** When to end a stream; spreads the ends of streams that began at the same time. */
  long streamEnd(long nowMs) {
    long mostMs = limits.streamMs();
    return nowMs + mostMs - Math.floorMod(connections.count() * 7919L, mostMs / 10 + 1);
  }

  /** So many more of the connections are streams, or less if negative. */
  void streams(int more) {
    metrics.streams(more);
  }

  void add(ClientConnection connection) {
    connections.add(connection);
    if (departure != null) {
      departure.onAdded();
    }
    metrics.connectionOpened();
  }

  void remove(ClientConnection connection, int closeCode) {
    connections.remove(connection);
    if (departure != null) {
      departure.onRemoved(connection, closeCode);
    }
    metrics.connectionClosed(closeCode);
    log.atDebug().addKeyValue("code", closeCode).log("client.closed");
  }

  /** A connection failed below the protocol; it is cut. */
  void onFault(Throwable cause) {
    log.atDebug().setCause(cause).log("client.fault");
  }

  /** Our own code failed; the client is told, the operator too. */
  void onBug(Throwable cause) {
    log.atError().setCause(cause).log("client.bug");
  }

  /** Takes its part in sending the node's clients away, until the loop ends. */
  void drain(Drain drain) {
    loop.execute(() -> departure = new LoopDrain(connections, drain, loop));
  }

  /** Whether the loop sends its clients away. */
  boolean isDraining() {
    return departure != null;
  }

  /** Chooses clients for better places, soon, on the loop. */
  @Override
  public void rebalance(Rebalancer shedding) {
    loop.execute(() -> shedding.onTurn(connections, loop));
  }

  /** Ends the sessions whose credentials were withdrawn; their number comes soon, on the loop. */
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

  /** The first sessions of this loop that an operator asks for; they come soon, on the loop. */
  void list(SessionQuery query, Consumer<List<SessionSummary>> found) {
    loop.execute(
        () -> {
          SessionPage page = new SessionPage(query.limit());
          for (int i = 0; i < connections.count(); i++) {
            SessionSummary summary = connections.get(i).summary(query);
            if (summary != null) {
              page.add(summary);
            }
          }
          found.accept(page.sessions());
        });
  }

  private void scheduleTick() {
    expectedTickNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limits.tickMs());
    loop.schedule(this::onTick, limits.tickMs(), TimeUnit.MILLISECONDS);
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

  // Thousands may be over at once; a timer lets sockets and messages have their turn in between.
  private void cutOverdueHandshakes() {
    cutting = !stopped && handshakes.closeExpired(nowMs());
    if (cutting) {
      loop.schedule(this::cutOverdueHandshakes, 0, TimeUnit.NANOSECONDS);
    }
  }

  private void onTick() {
    if (stopped) {
      return;
    }
    long lateNs = System.nanoTime() - expectedTickNs;
    lag.record(Math.max(0, TimeUnit.NANOSECONDS.toMicros(lateNs)), 1);
    if (overload.onTick(lateNs)) {
      onOverloadChange(lateNs);
    }
    long nowMs = nowMs();
    try {
      // Backwards, because a connection that closes is replaced by the last.
      for (int i = connections.count() - 1; i >= 0; i--) {
        tick(connections.get(i), nowMs);
      }
      if (!cutting) {
        cutOverdueHandshakes();
      }
    } finally {
      scheduleTick(); // whatever failed, without ticks nobody would ever time out
    }
  }

  /** Ticks one connection. Closes it if that fails, so that the others of the loop are ticked. */
  private void tick(ClientConnection connection, long nowMs) {
    try {
      connection.onTick(nowMs);
    } catch (RuntimeException e) {
      close(connection, e);
    }
  }

  private void close(ClientConnection connection, RuntimeException failure) {
    try {
      connection.onFault(failure);
    } catch (RuntimeException again) {
      onBug(again);
    }
  }
}
