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

  /** Whether a tick is in the queue of the event loop. */
  private final AtomicBoolean queued = new AtomicBoolean();

  /** Connections that have not been told. */
  private int waiting;

  /** The place that was looked at last. */
  private int cursor;

  /** Takes over the connections that there are. */
  public LoopDrain(ConnectionList connections, Drain drain, Executor loop) {
    this.loop = loop;
    this.connections = connections;
    this.drain = drain;
    this.waiting = connections.count();
    this.cursor = waiting;
    drain.onLoop(this, waiting);
  }

  /** A connection has come that was let in before the node began to drain. */
  public void onAdded() {
    await(1);
  }

  /** A connection has gone from the table. */
  public void onRemoved(DrainableConnection connection, int closeCode) {
    if (!connection.isToldToLeave()) {
      await(-1);
    } else if (connection.isFarewell(closeCode)) {
      drain.onMoved();
    }
  }

  private void await(int more) {
    waiting += more;
    drain.onWaiting(more);
  }

  /** Runs a tick on the event loop, unless the one before still waits there. Any thread. */
  void tick() {
    if (queued.compareAndSet(false, true)) {
      try {
        loop.execute(this::onTick);
      } catch (RejectedExecutionException stopping) {
        // The node closes its event loops.
      }
    }
  }

  private void onTick() {
    queued.set(false);
    if (drain.isClosing()) {
      closeSome();
    } else {
      tellSome();
    }
  }

  private void tellSome() {
    int left = drain.share();
    while (left > 0 && tellNext()) {
      left--;
    }
  }

  private boolean tellNext() {
    DrainableConnection next = next();
    if (next == null) {
      return false;
    }
    if (!drain.takeTurn()) {
      cursor++; // it is the next one again
      return false;
    }
    String place = drain.place();
    await(-1);
    drain.onTold();
    next.onTurnToLeave(drain.deadlineMs(), place);
    return true;
  }

  // Downwards, so that whoever takes the place of one that leaves has been told already. Who comes
  // meanwhile is met in the next round.
  private DrainableConnection next() {
    for (int steps = connections.count(); steps > 0 && waiting > 0; steps--) {
      cursor = (cursor > 0 ? Math.min(cursor, connections.count()) : connections.count()) - 1;
      DrainableConnection candidate = connections.get(cursor);
      if (!candidate.isToldToLeave() && !candidate.isClosing()) {
        return candidate;
      }
    }
    return null;
  }

  private void closeSome() {
    int left = drain.toClose(open());
    for (int i = connections.count() - 1; i >= 0 && left > 0; i--) {
      DrainableConnection connection = connections.get(i);
      if (!connection.isClosing()) {
        left--;
        drain.onClosed();
        connection.close(CloseCode.DRAINING);
      }
    }
  }

  private int open() {
    int open = 0;
    for (int i = 0; i < connections.count(); i++) {
      open += connections.get(i).isClosing() ? 0 : 1;
    }
    return open;
  }
}
