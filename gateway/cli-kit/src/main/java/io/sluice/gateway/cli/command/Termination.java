package io.sluice.gateway.cli.command;

import io.sluice.gateway.cli.logging.Logging;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.time.RunningClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Termination of the process. For any thread. The exit code is 0 on SIGTERM or ^C, and that of the
 * command otherwise. In both cases the registered action runs and the log is flushed first.
 */
public final class Termination {
  /** Exit code: success. */
  public static final int OK = 0;

  /** Exit code: the command failed. */
  public static final int FAILED = 1;

  /** Exit code: the command line is invalid. */
  public static final int USAGE = 2;

  /** Time for a stop in addition to the configured timeouts. */
  private static final Duration STOP_MARGIN = Duration.ofSeconds(10);

  private volatile int code = OK;
  private volatile boolean ending;

  /**
   * Registers an action that runs when the process ends.
   *
   * @param limit timeout of the action, after which the process ends with exit code 1
   */
  public void onEnd(Runnable action, Duration limit) {
    Thread hook = new Thread(() -> stop(action, limit), "termination");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns the timeout of the stop of a node. */
  public static Duration stopLimit(Config config) {
    return STOP_MARGIN
        .plus(config.get(TimeoutSettings.DRAIN))
        .plus(config.get(TimeoutSettings.CLOSE));
  }

  /** Returns whether the process is stopping; failures of its parts are then expected. */
  public boolean isEnding() {
    return ending;
  }

  /** Ends the process unless it is already ending. */
  public void exit(int exitCode) {
    if (ending) {
      return;
    }
    code = exitCode;
    System.exit(exitCode);
  }

  /** Runs the action, then halts: otherwise the exit code would contain the signal's number. */
  private void stop(Runnable action, Duration limit) {
    ending = true;
    CountDownLatch done = new CountDownLatch(1);
    AtomicBoolean stopped = new AtomicBoolean();
    Thread worker =
        new Thread(
            () -> {
              try {
                action.run();
                stopped.set(true);
              } finally {
                done.countDown();
              }
            },
            "stopping");
    worker.setDaemon(true);
    worker.start();
    if (!await(done, limit)) {
      System.err.println("sluice: did not stop within " + limit.toSeconds() + " s");
    }
    Logging.stop();
    System.out.flush();
    Runtime.getRuntime().halt(stopped.get() ? code : FAILED);
  }

  /** Returns whether the latch opened before the limit passed or the thread was interrupted. */
  public static boolean await(CountDownLatch latch, Duration limit) {
    try {
      return RunningClock.await(latch, limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
