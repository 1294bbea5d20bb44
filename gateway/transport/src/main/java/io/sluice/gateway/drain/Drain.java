package io.sluice.gateway.drain;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.time.RunningClock;
import io.sluice.gateway.websocket.CloseCode;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Graceful shutdown of a node's clients: notifies them that the node drains, closes those that
 * remain, and logs the result. One thread runs it, all event loops take permits from it, and any
 * thread may cancel it.
 *
 * <p>Clients are notified in the first half of the time, or for longer if the pace requires it. In
 * the last tenth, the remaining connections are closed at an even rate.
 */
public final class Drain {
  /** Clients of the node. For any thread. */
  public interface Clients {
    int connections();

    /** Returns the number of event loops with clients. */
    int loops();

    /** Rejects further clients, and calls {@link Drain#begin} on each event loop. */
    void drain(Drain drain);

    /** Accepts clients again. */
    void undrain();
  }

  /**
   * Time limits of a drain.
   *
   * @param drainMs time for notifying and closing the clients
   * @param closeMs time for the replies to the last close frames
   */
  public record Options(long drainMs, long closeMs) {
    /** Returns the options of a configuration. */
    public static Options of(Config config) {
      return new Options(
          config.get(TimeoutSettings.DRAIN).toMillis(),
          config.get(TimeoutSettings.CLOSE).toMillis());
    }
  }

  /** Interval at which {@link #onTick} is to be called. */
  public static final long TICK_MS = 50;

  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  /** Longest time between two ticks that counts. */
  private static final long PAUSE_MS = 10 * TICK_MS;

  private static final int MIN_CLOSED_PER_TICK = 50;

  private final Clients clients;
  private final long lengthMs;
  private final long closeMs;
  private final DrainPace pace;
  private final Supplier<String> targets;
  private final GatewayMetrics metrics;
  private final RunningClock clock;
  private final int loops;

  /** Unused permits to notify a client. */
  private final AtomicInteger permits = new AtomicInteger();

  /** Clients that have not been notified. */
  private final AtomicInteger waiting = new AtomicInteger();

  /** Number of loops that have counted their clients. */
  private final AtomicInteger countedLoops = new AtomicInteger();

  /** One for each loop that has counted its clients. */
  private final Queue<Loop> begun = new ConcurrentLinkedQueue<>();

  private final LongAdder notified = new LongAdder();
  private final LongAdder moved = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private volatile boolean cancelled;
  private long tickedMs;

  /**
   * Creates the drain, whose time begins now.
   *
   * @param targets supplies the redirect target of the next client, or null for its configured
   *     addresses; called by any thread
   */
  public Drain(
      Clients clients,
      Options options,
      DrainPace pace,
      Supplier<String> targets,
      GatewayMetrics metrics) {
    this(clients, options, pace, targets, metrics, System::nanoTime);
  }

  /**
   * Creates the drain with a clock.
   *
   * @param clockNs monotonic clock, in nanoseconds
   */
  public Drain(
      Clients clients,
      Options options,
      DrainPace pace,
      Supplier<String> targets,
      GatewayMetrics metrics,
      LongSupplier clockNs) {
    this.clients = clients;
    this.lengthMs = options.drainMs();
    this.closeMs = options.closeMs();
    this.pace = pace;
    this.targets = targets;
    this.metrics = metrics;
    this.clock = new RunningClock(clockNs, PAUSE_MS);
    this.loops = clients.loops();
  }

  /** Rejects further clients, before it returns. To be called once, before {@link #run}. */
  public void start() {
    log.atInfo()
        .addKeyValue("clients", clients.connections())
        .addKeyValue("within-ms", lengthMs)
        .log("node.draining");
    warnIfTooSlow();
    clients.drain(this);
  }

  /** Drains the clients. Returns when all are disconnected or the time is over. */
  public void run() {
    awaitDisconnects();
    report();
  }

  private void warnIfTooSlow() {
    long neededMs = pace.forecastMs(clients.connections());
    if (neededMs > untilClosingMs()) {
      log.atWarn()
          .addKeyValue("clients", clients.connections())
          .addKeyValue("needs-ms", neededMs)
          .addKeyValue("within-ms", untilClosingMs())
          .log("node.drain-too-slow");
    }
  }

  private void awaitDisconnects() {
    try {
      while (clients.connections() > 0 && !cancelled && elapsedMs() < lengthMs + closeMs) {
        onTick();
        TimeUnit.MILLISECONDS.sleep(TICK_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void report() {
    log.atInfo()
        .addKeyValue("notified", notified())
        .addKeyValue("moved", moved())
        .addKeyValue("closed", closed())
        .addKeyValue("left", clients.connections())
        .addKeyValue("took-ms", elapsedMs())
        .log("node.drained");
  }

  /** Ends the drain; clients that were notified may still leave. */
  public void cancel() {
    cancelled = true;
    clients.undrain();
  }

  /** Adds permits and ticks all loops. To be called every {@link #TICK_MS} by one thread. */
  public void onTick() {
    if (!clock.tick()) {
      return; // after a pause, what the clients have sent is read first
    }
    int unpermitted = waiting.get() - permits.get();
    long now = elapsedMs();
    if (unpermitted > 0 && now > tickedMs) {
      long leftMs = Math.max(0, lengthMs / 2 - now);
      permits.addAndGet(pace.clients(unpermitted, now - tickedMs, leftMs));
    }
    tickedMs = now;
    begun.forEach(Loop::tick);
  }

  /** Returns the time since the beginning of the drain, without pauses of the process. */
  public long elapsedMs() {
    return clock.nowMs();
  }

  /** Returns the time after which clients are closed instead of notified. */
  private long untilClosingMs() {
    return lengthMs - lengthMs / 10;
  }

  /** Returns the number of notified clients. */
  public long notified() {
    return notified.sum();
  }

  /** Returns the number of notified clients that closed their connections in order. */
  public long moved() {
    return moved.sum();
  }

  /** Returns the number of clients that were closed with 4100. */
  public long closed() {
    return closed.sum();
  }

  /** Returns the number of clients that have not been notified. */
  public int unnotified() {
    return countedLoops.get() < loops ? clients.connections() : waiting.get();
  }

  /** Begins to drain the connections of an event loop. To be called on it. */
  public Loop begin(ConnectionList connections, Executor loop) {
    Loop added = new Loop(connections, loop);
    waiting.addAndGet(added.unnotified);
    begun.add(added);
    countedLoops.incrementAndGet();
    return added;
  }

  /**
   * Drain of one event loop: selects the clients to notify, and closes the rest at the end. Bound
   * to that loop.
   */
  public final class Loop {
    private final ConnectionList connections;
    private final Executor executor;

    /** Set while a tick is in the queue of the event loop. */
    private final AtomicBoolean queued = new AtomicBoolean();

    /** Connections that have not been notified. */
    private int unnotified;

    /** Index of the connection that was visited last. */
    private int cursor;

    private Loop(ConnectionList connections, Executor executor) {
      this.connections = connections;
      this.executor = executor;
      this.unnotified = connections.count();
      this.cursor = unnotified;
    }

    /** Adds a connection that was admitted before the drain began. */
    public void onAdded() {
      addUnnotified(1);
    }

    /** Updates the counts after a connection was removed from the table. */
    public void onRemoved(DrainableConnection connection, int closeCode) {
      if (!connection.isDrainNotified()) {
        addUnnotified(-1);
      } else if (connection.isOrderlyClose(closeCode)) {
        moved.increment();
        metrics.drained("moved");
      }
    }

    private void addUnnotified(int change) {
      unnotified += change;
      waiting.addAndGet(change);
    }

    /** Queues a tick on the event loop, unless the previous one is still queued. Any thread. */
    private void tick() {
      if (queued.compareAndSet(false, true)) {
        try {
          executor.execute(this::onTick);
        } catch (RejectedExecutionException stopping) {
          // The event loop has ended.
        }
      }
    }

    private void onTick() {
      queued.set(false);
      if (cancelled) {
        return;
      }
      if (elapsedMs() >= untilClosingMs()) {
        closeSome();
      } else {
        notifySome();
      }
    }

    private void notifySome() {
      int left = (permits.get() + loops - 1) / loops;
      while (left > 0 && notifyNext()) {
        left--;
      }
    }

    private boolean notifyNext() {
      DrainableConnection next = nextUnnotified();
      if (next == null) {
        return false;
      }
      if (permits.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
        cursor++; // the next call returns the same connection
        return false;
      }
      String target = targets.get();
      addUnnotified(-1);
      notified.increment();
      metrics.drained("notified");
      next.notifyDraining(System.currentTimeMillis() + lengthMs - elapsedMs(), target);
      return true;
    }

    // In descending order, so that a connection which replaces a removed one is already notified.
    // New connections are visited in the next round.
    private DrainableConnection nextUnnotified() {
      for (int steps = connections.count(); steps > 0 && unnotified > 0; steps--) {
        cursor = (cursor > 0 ? Math.min(cursor, connections.count()) : connections.count()) - 1;
        DrainableConnection candidate = connections.get(cursor);
        if (!candidate.isDrainNotified() && !candidate.isClosing()) {
          return candidate;
        }
      }
      return null;
    }

    private void closeSome() {
      int left = closesPerTick(countOpen());
      for (int i = connections.count() - 1; i >= 0 && left > 0; i--) {
        DrainableConnection connection = connections.get(i);
        if (!connection.isClosing()) {
          left--;
          closed.increment();
          metrics.drained("closed");
          connection.close(CloseCode.DRAINING);
        }
      }
    }

    private int countOpen() {
      int open = 0;
      for (int i = 0; i < connections.count(); i++) {
        open += connections.get(i).isClosing() ? 0 : 1;
      }
      return open;
    }

    private int closesPerTick(int open) {
      long leftMs = lengthMs - elapsedMs();
      if (leftMs <= TICK_MS) {
        return open;
      }
      long even = (open * TICK_MS + leftMs - 1) / leftMs;
      return (int) Math.min(open, Math.max(even, MIN_CLOSED_PER_TICK));
    }
  }
}
