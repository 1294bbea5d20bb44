package io.sluice.gateway.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends the process: cleanly and with 0 on SIGTERM or ^C, with a command's own exit code otherwise;
 * either way everything is stopped and the log is flushed first. For any thread.
 */
final class Termination {
  /** Exit code: all went well. */
  static final int OK = 0;

  /** Exit code: the command could not do its work. */
  static final int FAILED = 1;

  /** Exit code: the command line itself is wrong. */
  static final int USAGE = 2;

  private volatile int code = OK;
  private volatile boolean ending;

  /**
   * Runs an action when the process ends.
   *
   * @param limit how long it may take; then the process ends with exit code 1
   */
  void onEnd(Runnable action, Duration limit) {
    Thread hook = new Thread(() -> stop(action, limit), "termination");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Whether the process is being stopped, so that what breaks now was meant to. */
  boolean isEnding() {
    return ending;
  }

  /** Ends the process, if it isn't ending already. */
  void exit(int exitCode) {
    if (ending) {
      return;
    }
    code = exitCode;
    System.exit(exitCode);
  }

  /** Halts, because the virtual machine would give the signal's number as exit code. */
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
  static boolean await(CountDownLatch latch, Duration limit) {
    try {
      return latch.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
