package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The clients of one event loop and their shared buffers. It connects them at the connection rate.
 * Bound to that loop.
 *
 * <p>A <em>round</em> lasts until every client is subscribed. A client that fails in it tries
 * again. A client that is lost afterwards stays disconnected until the next round.
 */
final class ClientLoop {
  /** Events of a loop, on its thread. */
  interface Listener {
    /** All clients of the loop are subscribed. */
    void onComplete(int round);

    /** Reports a failure in one line; identical failures of many clients are reported once. */
    void onComplaint(String message);
  }

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long RETRY_MS = 1000;
  private static final long ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Most concurrent connection attempts; more would overflow the server's backlog. */
  private static final int MOST_UNDER_WAY = 1000;

  /** Burst of the connection rate in seconds. */
  private static final double BURST_SECONDS = 0.1;

  private static final int MOST_COMPLAINTS = 32;

  private final EventLoop loop;
  private final Connector links;
  private final ClientPlan plan;
  private final int index;
  private final double connectsPerNano;
  private final Listener listener;
  private final Counters counters = new Counters();
  private final ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer();
  private final ByteBuf scratch =
      PooledByteBufAllocator.DEFAULT.directBuffer(FrameScanner.MAX_HEAD, FrameScanner.MAX_HEAD);
  private final List<Client> clients = new ArrayList<>();
  private final ArrayDeque<Client> queue = new ArrayDeque<>();
  private final ArrayDeque<Attempt> attempts = new ArrayDeque<>();
  private final Set<String> complaints = new HashSet<>();
  private Future<?> ticks;
  private long lastTickNanos;
  private double allowed;
  private int round;
  private boolean complete = true;

  /** Connection attempt and its deadline. */
  private record Attempt(Client client, int number, long deadlineNanos) {
    boolean isUnderWay() {
      return client.attempt() == number && client.isUnderWay();
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
    this.connectsPerNano = options.connectRate() / options.threads() / TimeUnit.SECONDS.toNanos(1);
  }

  ClientPlan plan() {
    return plan;
  }

  Counters counters() {
    return counters;
  }

  /** Returns the empty send buffer; the caller owns it until it has sent. */
  ByteBuf out() {
    return out.clear();
  }

  /** Room for a {@link FrameScanner}. */
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
    int wanted = (all - index + threads - 1) / threads;
    while (clients.size() > wanted) {
      clients.remove(clients.size() - 1).drop(Drop.CLOSE);
    }
    while (clients.size() < wanted) {
      int position = index + clients.size() * threads;
      clients.add(new Client(this, plan.options().first() + position));
    }
    begin(number);
  }

  /** Starts a round: disconnects all clients and reconnects them at the connection rate. */
  void reconnect(Drop how, int number) {
    for (Client client : clients) {
      if (client.state() != ClientState.WAITING) {
        client.drop(how);
      }
    }
    begin(number);
  }

  private void begin(int number) {
    round = number;
    complete = false;
    complaints.clear();
    for (Client client : clients) {
      if (client.state() == ClientState.AWAY) {
        queue(client);
      }
    }
    completeIfAll();
  }

  /** Disconnects all clients and releases the buffers. */
  void close() {
    complete = true;
    stopTicks();
    clients.forEach(client -> client.drop(Drop.CLOSE));
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
    double most = Math.max(1, connectsPerNano * TimeUnit.SECONDS.toNanos(1) * BURST_SECONDS);
    allowed = Math.min(most, allowed + (now - lastTickNanos) * connectsPerNano);
    lastTickNanos = now;
    while (allowed >= 1 && !queue.isEmpty() && counters.underWay() < MOST_UNDER_WAY) {
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
    if (client.state() == ClientState.WAITING) { // else it was dropped meanwhile
      allowed--;
      client.connect(links, plan.to(), plan.from(client.number()));
      attempts.add(new Attempt(client, client.attempt(), now + ATTEMPT_NANOS));
    }
  }

  private void expire(long now) {
    for (Attempt first = attempts.peek(); first != null; first = attempts.peek()) {
      if (first.isUnderWay()) {
        if (first.deadlineNanos() - now > 0) {
          return;
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(ATTEMPT_NANOS);
        first.client().fail("was not subscribed within " + seconds + " s");
      }
      attempts.poll();
    }
  }

  /** A client has been subscribed. */
  void onSubscribed() {
    completeIfAll();
  }

  private void completeIfAll() {
    if (!complete && counters.subscribed() == clients.size()) {
      complete = true;
      listener.onComplete(round);
    }
  }

  /** A client's attempt failed, or the peer violated the protocol. */
  void onFailed(Client client, String why) {
    counters.failed++;
    onLost(client, why);
  }

  /** The peer closed a client's WebSocket. */
  void onClosed(Client client, String why) {
    counters.closed++;
    onLost(client, why);
  }

  /** The gateway sent an error to a client. */
  void onRefused(Client client, String why) {
    counters.refused++;
    onLost(client, why);
  }

  private void onLost(Client client, String why) {
    if (complaints.size() < MOST_COMPLAINTS && complaints.add(why)) {
      listener.onComplaint("client " + client.number() + ": " + why);
    }
    if (!complete && client.state() == ClientState.AWAY) {
      client.queue();
      loop.schedule(() -> queueAgain(client), RETRY_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void queueAgain(Client client) {
    if (client.state() == ClientState.WAITING) {
      queue(client);
    }
  }
}
