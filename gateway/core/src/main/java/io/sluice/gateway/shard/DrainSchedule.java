package io.sluice.gateway.shard;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Schedule of a shard's drains: immediate if the shard sleeps, and after a short linger if the
 * latest batch reached many clients. Messages that arrive during a linger share their writes, which
 * saves system calls under load. An idle node delays no message. Any thread may call {@link #wake}
 * and {@link #wakeForMessage}; the other methods are bound to the event loop.
 */
final class DrainSchedule {
  /** Minimum number of clients reached by a batch for which a linger saves time. */
  private static final int MIN_VISITS = 256;

  /** Number of queued messages at which a shard is behind and does not linger. */
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
   * Creates the schedule of a sleeping shard.
   *
   * @param drain drains the queue; calls {@link #sleep}, {@link #linger} or {@link #drainAgain}
   *     once, at its end
   * @param lingerMs linger time; 0 disables it
   */
  DrainSchedule(ShardLoop loop, Runnable drain, long lingerMs) {
    this.loop = loop;
    this.drain = drain;
    this.lingerMs = lingerMs;
  }

  /** Schedules a drain, which also ends a linger. */
  void wake() {
    State before = state.get();
    if (before != State.AWAKE && state.compareAndSet(before, State.AWAKE)) {
      loop.execute(drain);
    }
  }

  /** Schedules a drain unless a linger is active. */
  void wakeForMessage() {
    if (state.get() == State.SLEEPING && state.compareAndSet(State.SLEEPING, State.AWAKE)) {
      loop.execute(drain);
    }
  }

  /**
   * Returns whether to linger before the next batch.
   *
   * @param visits number of clients reached by the latest batch
   * @param queued number of queued messages
   */
  boolean lingersAfter(int visits, int queued) {
    return lingerMs > 0 && visits >= MIN_VISITS && queued < MAX_WAITING;
  }

  /** Drains again after the linger time, or as soon as an event other than a message arrives. */
  void linger() {
    state.set(State.LINGERING);
    loop.executeLater(this::endLinger, lingerMs);
  }

  // The timer of an interrupted linger may end a later one early, which is harmless.
  private void endLinger() {
    if (state.compareAndSet(State.LINGERING, State.AWAKE)) {
      drain.run();
    }
  }

  /** Drains again after the loop has polled its sockets. */
  void drainAgain() {
    loop.executeAfterIo(drain);
  }

  /**
   * Sleeps until the next wake. The caller must check the queue again afterwards, because a sender
   * that found the shard awake did not wake it.
   */
  void sleep() {
    state.set(State.SLEEPING);
  }
}
