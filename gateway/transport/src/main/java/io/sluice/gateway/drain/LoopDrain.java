package io.sluice.gateway.drain;

import io.sluice.gateway.protocol.CloseCode;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Drain of one event loop: selects the clients to notify, and closes the rest at the end. Bound to
 * that loop.
 */
public final class LoopDrain {
  private final ConnectionList connections;
  private final Drain drain;
  private final Executor loop;

  /** Set while a tick is in the queue of the event loop. */
  private final AtomicBoolean queued = new AtomicBoolean();

  /** Connections that have not been notified. */
  private int waiting;

  /** Index of the connection that was visited last. */
  private int cursor;

  /** Begins to drain the connections of a loop. */
  public LoopDrain(ConnectionList connections, Drain drain, Executor loop) {
    this.loop = loop;
    this.connections = connections;
    this.drain = drain;
    this.waiting = connections.count();
    this.cursor = waiting;
    drain.addLoop(this, waiting);
  }

  /** Adds a connection that was admitted before the drain began. */
  public void onAdded() {
    addWaiting(1);
  }

  /** Updates the counts after a connection was removed from the table. */
  public void onRemoved(DrainableConnection connection, int closeCode) {
    if (!connection.isDrainNotified()) {
      addWaiting(-1);
    } else if (connection.isOrderlyClose(closeCode)) {
      drain.onMoved();
    }
  }

  private void addWaiting(int change) {
    waiting += change;
    drain.addWaiting(change);
  }

  /** Queues a tick on the event loop, unless the previous one is still queued. Any thread. */
  void tick() {
    if (queued.compareAndSet(false, true)) {
      try {
        loop.execute(this::onTick);
      } catch (RejectedExecutionException stopping) {
        // The event loop has ended.
      }
    }
  }

  private void onTick() {
    queued.set(false);
    if (drain.isCancelled()) {
      return;
    }
    if (drain.isClosing()) {
      closeSome();
    } else {
      notifySome();
    }
  }

  private void notifySome() {
    int left = drain.permitsPerLoop();
    while (left > 0 && notifyNext()) {
      left--;
    }
  }

  private boolean notifyNext() {
    DrainableConnection next = nextWaiting();
    if (next == null) {
      return false;
    }
    if (!drain.takePermit()) {
      cursor++; // the next call returns the same connection
      return false;
    }
    String target = drain.nextTarget();
    addWaiting(-1);
    drain.onNotified();
    next.notifyDraining(drain.deadlineMs(), target);
    return true;
  }

  // In descending order, so that a connection which replaces a removed one is already notified. New
  // connections are visited in the next round.
  private DrainableConnection nextWaiting() {
    for (int steps = connections.count(); steps > 0 && waiting > 0; steps--) {
      cursor = (cursor > 0 ? Math.min(cursor, connections.count()) : connections.count()) - 1;
      DrainableConnection candidate = connections.get(cursor);
      if (!candidate.isDrainNotified() && !candidate.isClosing()) {
        return candidate;
      }
    }
    return null;
  }

  private void closeSome() {
    int left = drain.closesPerTick(countOpen());
    for (int i = connections.count() - 1; i >= 0 && left > 0; i--) {
      DrainableConnection connection = connections.get(i);
      if (!connection.isClosing()) {
        left--;
        drain.onClosed();
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
}
