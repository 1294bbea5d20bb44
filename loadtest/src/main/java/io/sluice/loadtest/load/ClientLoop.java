package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.sluice.loadtest.load.frame.FrameScanner;
import io.sluice.loadtest.load.frame.PayloadCheck;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Clients of one event loop and their shared buffers. It connects them at the connection rate.
 * Bound to that event loop.
 *
 * <p>A <em>round</em> lasts until every client is subscribed. A client that fails during a round
 * reconnects. A client that loses its connection afterwards stays disconnected until the next
 * round.
 */
final class ClientLoop {
  /** Events of a loop, on its thread. */
  interface Listener {
    /** All clients of the loop are subscribed. */
    void onComplete(int round);

    /** Reports an error in one line. Identical errors of several clients are reported once. */
    void onError(String message);
  }

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long RETRY_MS = 1000;
  private static final long ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Maximum number of concurrent connection attempts. More would overflow the server's backlog. */
  private static final int MAX_PENDING = 1000;

  /** Burst of the connection rate in seconds. */
  private static final double BURST_SECONDS = 0.1;

  private static final int MAX_ERRORS = 32;

  private final EventLoop loop;
  private final Connector links;
  private final ClientPlan plan;
  private final int index;
  private final double connectsPerNano;
  private final Listener listener;
  private final Counters counters = new Counters();
  private final PayloadCheck payloads = new PayloadCheck();
  private final SequenceCounter sequences;
  private final ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer();
  private final ByteBuf scratch =
      PooledByteBufAllocator.DEFAULT.directBuffer(FrameScanner.MAX_HEAD);
  private final List<Client> clients = new ArrayList<>();
  private final ArrayDeque<Client> queue = new ArrayDeque<>();
  private final ArrayDeque<Attempt> attempts = new ArrayDeque<>();
  private final Set<String> errors = new HashSet<>();
  private Future<?> ticks;
  private long lastTickNanos;
  private double permits;
  private int round;
  private boolean complete = true;

  /** Connection attempt and its deadline. */
  private record Attempt(Client client, int number, long deadlineNanos) {
    boolean isPending() {
      return client.attempt() == number && client.isPending();
    }
  }

  /**
   * Creates a loop without clients.
   *
   * @param index its number among the load generator's loops
   */
  ClientLoop(EventLoop loop, Connector links, ClientPlan plan, int index, Listener listener) {
    this.loop = loop;
    this.links = links;
    this.plan = plan;
    this.index = index;
    this.listener = listener;
    GeneratorOptions options = plan.options();
    this.sequences = options.measurement() == null ? null : new SequenceCounter(counters);
    this.connectsPerNano = options.connectRate() / options.threads() / TimeUnit.SECONDS.toNanos(1);
  }

  ClientPlan plan() {
    return plan;
  }

  Counters counters() {
    return counters;
  }

  /** Returns the check of sequence numbers, or null without a measurement. */
  SequenceCounter sequences() {
    return sequences;
  }

  /** Returns the latencies of the measured clients that received messages. */
  List<Histogram> latencies() {
    return clients.stream()
        .map(Client::latencies)
        .filter(latencies -> latencies != null && latencies.getTotalCount() > 0)
        .map(Histogram::copy)
        .toList();
  }

  /** Returns the check of decompressed payloads. */
  PayloadCheck payloads() {
    return payloads;
  }

  /** Returns the empty send buffer, which the caller may use until it has sent. */
  ByteBuf out() {
    return out.clear();
  }

  /** Returns the shared buffer for a {@link FrameScanner}. */
  ByteBuf scratch() {
    return scratch;
  }

  /**
   * Starts a round that connects this loop's share of all clients.
   *
   * @param all clients of all loops
   */
  void resize(int all, int number) {
    int threads = plan.options().threads();
    int target = (all - index + threads - 1) / threads;
    while (clients.size() > target) {
      clients.remove(clients.size() - 1).disconnect(DisconnectMode.CLOSE);
    }
    while (clients.size() < target) {
      int position = index + clients.size() * threads;
      clients.add(new Client(this, plan.options().first() + position));
    }
    startRound(number);
  }

  /** Starts a round: disconnects all clients and reconnects them at the connection rate. */
  void reconnect(DisconnectMode mode, int number) {
    for (Client client : clients) {
      if (client.state() != ClientState.QUEUED) {
        client.disconnect(mode);
      }
    }
    startRound(number);
  }

  private void startRound(int number) {
    round = number;
    complete = false;
    errors.clear();
    for (Client client : clients) {
      if (client.state() == ClientState.DISCONNECTED) {
        queue(client);
      }
    }
    checkComplete();
  }

  /** Disconnects all clients and releases the buffers. */
  void close() {
    complete = true;
    stopTicks();
    clients.forEach(client -> client.disconnect(DisconnectMode.CLOSE));
    clients.clear();
    links.close();
    out.release();
    scratch.release();
  }

  private void queue(Client client) {
    client.queue();
    queue.add(client);
    if (ticks == null) {
      lastTickNanos = System.nanoTime();
      ticks = loop.scheduleWithFixedDelay(this::onTick, 0, TICK_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  private void onTick() {
    long now = System.nanoTime();
    double burst = Math.max(1, connectsPerNano * TimeUnit.SECONDS.toNanos(1) * BURST_SECONDS);
    permits = Math.min(burst, permits + (now - lastTickNanos) * connectsPerNano);
    lastTickNanos = now;
    while (permits >= 1 && !queue.isEmpty() && counters.pending() < MAX_PENDING) {
      connect(queue.poll(), now);
    }
    expire(now);
    if (queue.isEmpty() && attempts.isEmpty()) {
      stopTicks();
    }
  }

  private void stopTicks() {
    if (ticks != null) {
      ticks.cancel(false);
      ticks = null;
    }
  }

  private void connect(Client client, long now) {
    if (client.state() == ClientState.QUEUED) { // otherwise it was disconnected
      permits--;
      client.connect(links, plan.to(), plan.from(client.number()));
      attempts.add(new Attempt(client, client.attempt(), now + ATTEMPT_NANOS));
    }
  }

  private void expire(long now) {
    for (Attempt first = attempts.peek(); first != null; first = attempts.peek()) {
      if (first.isPending()) {
        if (first.deadlineNanos() - now > 0) {
          return;
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(ATTEMPT_NANOS);
        first.client().fail("was not subscribed within " + seconds + " s");
      }
      attempts.poll();
    }
  }

  /** Handles the confirmation of a client's subscription. */
  void onSubscribed() {
    checkComplete();
  }

  private void checkComplete() {
    if (!complete && counters.subscribed() == clients.size()) {
      complete = true;
      listener.onComplete(round);
    }
  }

  /** Handles a failed connection attempt or a protocol violation by the peer. */
  void onFailed(Client client, String reason) {
    counters.failed++;
    onLost(client, reason);
  }

  /** Handles a WebSocket that the peer closed. */
  void onClosed(Client client, String reason) {
    counters.closed++;
    onLost(client, reason);
  }

  /** Handles a message with wrong content; the client remains connected. */
  void onWrong(Client client, String reason) {
    counters.wrong++;
    onLost(client, reason);
  }

  /** Handles an error frame from the gateway. */
  void onRefused(Client client, String reason) {
    counters.refused++;
    onLost(client, reason);
  }

  private void onLost(Client client, String reason) {
    if (errors.size() < MAX_ERRORS && errors.add(reason)) {
      listener.onError("client " + client.number() + ": " + reason);
    }
    if (!complete && client.state() == ClientState.DISCONNECTED) {
      client.queue();
      loop.schedule(() -> requeue(client), RETRY_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void requeue(Client client) {
    if (client.state() == ClientState.QUEUED) {
      queue(client);
    }
  }
}
