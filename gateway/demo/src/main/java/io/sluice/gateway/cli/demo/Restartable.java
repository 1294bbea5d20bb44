package io.sluice.gateway.cli.demo;

import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Part of the demo that can be stopped and started again until it is closed. For any thread; starts
 * and stops wait for each other.
 *
 * @param <T> type of the running part
 */
public final class Restartable<T> {
  private final Callable<T> starter;
  private final Consumer<T> stopper;
  private boolean closed;
  private volatile T running;

  /** Creates a part that does not run. */
  public Restartable(Callable<T> starter, Consumer<T> stopper) {
    this.starter = starter;
    this.stopper = stopper;
  }

  /**
   * Returns a part that runs already.
   *
   * @param starter starts it again after a stop
   */
  public static <T> Restartable<T> running(T part, Callable<T> starter, Consumer<T> stopper) {
    Restartable<T> restartable = new Restartable<>(starter, stopper);
    restartable.running = part;
    return restartable;
  }

  /** Starts the part unless it is running or closed; blocks. */
  public synchronized void start() throws Exception {
    if (running == null && !closed) {
      running = starter.call();
    }
  }

  /** Stops the part if it is running; blocks. */
  public synchronized void stop() {
    stop(stopper);
  }

  /** Stops the part in another way, permanently; blocks. */
  public synchronized void close(Consumer<T> lastStopper) {
    closed = true;
    stop(lastStopper);
  }

  // Cleared first, because an end that follows is then an expected one.
  private void stop(Consumer<T> by) {
    T stopping = running;
    running = null;
    if (stopping != null) {
      by.accept(stopping);
    }
  }

  /** Returns the running part, or null. */
  public T running() {
    return running;
  }
}
