package io.sluice.gateway.http;

import io.netty.channel.EventLoop;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Collections of an event loop's clients for queries, in turn and in short slices. Bound to that
 * loop.
 *
 * <p>A timer separates two slices. Netty serves sockets before a timer, but not before a task that
 * another task has added. All queries together use a tenth of the loop's time at most.
 */
final class ClientCollections {
  /** Maximum time of one slice, exceeded by the work for one client at most. */
  static final long SLICE_NS = TimeUnit.MICROSECONDS.toNanos(100);

  private static final long PAUSE_NS = 9 * SLICE_NS;

  private final EventLoop loop;
  private final ConnectionTable connections;
  private final Deque<Walk<?>> waiting = new ArrayDeque<>();
  private boolean scheduled;

  ClientCollections(EventLoop loop, ConnectionTable connections) {
    this.loop = loop;
    this.connections = connections;
  }

  /**
   * Adds all open sessions to a collector.
   *
   * @param found receives the result
   */
  <R> void add(ClientCollector<R> collector, Consumer<R> found) {
    waiting.add(new Walk<>(collector, found, connections.count()));
    if (!scheduled) {
      runSlice();
    }
  }

  private void runSlice() {
    Walk<?> walk = waiting.remove();
    try {
      if (walk.isDoneBy(System.nanoTime() + SLICE_NS)) {
        walk.complete();
      } else {
        waiting.add(walk);
      }
    } finally { // a failure ends its own query only
      scheduled = !waiting.isEmpty();
      if (scheduled) {
        LoopTimers.schedule(loop, this::runSlice, PAUSE_NS, TimeUnit.NANOSECONDS);
      }
    }
  }

  /** Walk of one collector over the connections. */
  private final class Walk<R> {
    private final ClientCollector<R> collector;
    private final Consumer<R> found;

    /** Number of connections that are not visited yet. */
    private int rest;

    Walk(ClientCollector<R> collector, Consumer<R> found, int count) {
      this.collector = collector;
      this.found = found;
      this.rest = count;
    }

    /** Works until it is done, or until the deadline. */
    boolean isDoneBy(long deadlineNs) {
      while (visitNext() || !collector.prepare()) {
        if (System.nanoTime() - deadlineNs >= 0) {
          return false;
        }
      }
      return true;
    }

    // The descending order visits each connection that was present at the start once.
    private boolean visitNext() {
      rest = Math.min(rest, connections.count());
      if (rest == 0) {
        return false;
      }
      ClientView view = connections.get(--rest).view();
      if (view != null) {
        collector.add(view);
      }
      return true;
    }

    void complete() {
      found.accept(collector.result());
    }
  }
}
