package io.sluice.gateway.shard;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Schedule of a shard's drains: at once if the shard sleeps, and after a short linger if the latest
 * batch reached many clients. Messages that arrive during a linger share their writes, which under
 * load costs less per message than a system call for each; when a node is idle, no message waits.
 * Any thread may call {@link #wake} and {@link #wakeForMessage}.
 */
final class DrainSchedule {
  /** Clients that a batch must have reached before it is worth to collect messages. */
  private static final int MIN_VISITS = 256;

  /** A shard with as many waiting messages is behind and does not linger. */
  private static final int MAX_WAITING = 16;

  private enum State {
    SLEEPING,
    LINGERING,
    AWAKE
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.SLEEPING);
  private final ShardLoop loop;
  private final Runnable drain;
  private final long lingerMs;

  /**
   * @param drain drains the queue; calls {@link #sleep}, {@link #linger} or {@link #drainAgain}
   *     once, at its end
   * @param lingerMs time to linger; 0 for never
   */
  DrainSchedule(ShardLoop loop, Runnable drain, long lingerMs) {
    this.loop = loop;
    this.drain = drain;
    this.lingerMs = lingerMs;
  }

  /** Has the queue drained soon. */
  void wake() {
    State before = state.get();
    if (before != State.AWAKE && state.compareAndSet(before, State.AWAKE)) {
      loop.execute(drain);
    }
  }

  /** Has the queue drained soon, or after the linger that has begun. */
  void wakeForMessage() {
    if (state.get() == State.SLEEPING && state.compareAndSet(State.SLEEPING, State.AWAKE)) {
      loop.execute(drain);
    }
  }

  /**
   * Whether to linger before the next batch.
   *
   * @param visits clients that the latest batch reached
   * @param waiting messages that wait already
   */
  boolean lingersAfter(int visits, int waiting) {
    return lingerMs > 0 && visits >= MIN_VISITS && waiting < MAX_WAITING;
  }

  /** Drains again after the linger time, or as soon as something other than a message arrives. */
  void linger() {
    state.set(State.LINGERING);
    loop.executeLater(this::endLinger, lingerMs);
  }

  // The timer of a linger that was cut short may end a later one early, which does no harm.
  private void endLinger() {
    if (state.compareAndSet(State.LINGERING, State.AWAKE)) {
      drain.run();
    }
  }

  /** Drains again when the loop has looked at its sockets. */
  void drainAgain() {
    loop.executeAfterIo(drain);
  }

  /** Sleeps until the next wake. An event of which the sender found the shard awake is missed. */
  void sleep() {
    state.set(State.SLEEPING);
  }
}
