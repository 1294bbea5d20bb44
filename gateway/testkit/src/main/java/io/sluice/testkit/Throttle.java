package io.sluice.testkit;

import java.io.IOException;

/**
 * Limit of a process to about a fifth of its time: it is stopped (SIGSTOP) and continued in turn.
 * Stateless.
 */
public final class Throttle {
  private static final String TURNS =
      "while kill -STOP $0 && sleep 0.04 && kill -CONT $0; do sleep 0.01; done";

  private Throttle() {}

  /** Limits a process during an action. */
  public static void during(long pid, Runnable action) {
    Process turns = start(pid);
    try {
      action.run();
    } finally {
      turns.destroyForcibly();
      turns.onExit().join();
      BrokerJvm.signal(pid, "CONT");
    }
  }

  private static Process start(long pid) {
    try {
      return new ProcessBuilder("sh", "-c", TURNS, "" + pid).start();
    } catch (IOException e) {
      throw new AssertionError("sh can't be started", e);
    }
  }
}
