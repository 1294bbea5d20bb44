package io.sluice.gateway.attack;

import io.sluice.testkit.RawWebSocket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Operator who removes the rule of {@link Users#LEAVER} and restores it, over and over. Publishes
 * {@link #BEFORE} while the rule exists, and {@link #AFTER} while it does not. Has one thread.
 */
final class RuleReloads implements AutoCloseable {
  static final String TOPIC = "withdrawn.1";
  static final String BEFORE = "BEFORE";
  static final String AFTER = "AFTER";

  /** Time in which clients connect and subscribe. */
  private static final long GRANTED_NS = TimeUnit.SECONDS.toNanos(2);

  private final Consumer<Boolean> reload;
  private final Target target;
  private final String token;
  private final Thread thread = new Thread(this::run, "operator");
  private volatile boolean closed;
  private volatile int cycles;
  private volatile Throwable failure;

  /**
   * Starts to reload.
   *
   * @param reload applies the rules without (true) or with the one in question; returns when all
   *     clients are checked
   * @param token of {@link Users#OBSERVER}
   */
  RuleReloads(Consumer<Boolean> reload, Target target, String token) {
    this.reload = reload;
    this.target = target;
    this.token = token;
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      while (!closed) {
        cycle();
        cycles++;
      }
    } catch (RuntimeException | AssertionError e) {
      failure = e;
    }
  }

  // The observer has received each message before the rule changes again: a late subscriber cannot
  // receive it.
  private void cycle() {
    LockSupport.parkNanos(GRANTED_NS);
    try (RawWebSocket observer = RawWebSocket.to(target.host(), target.port(), "/ws").open()) {
      observer.send(Bytes.connect(token));
      observer.subscribe(1, TOPIC);
      publish(observer, BEFORE);
      reload.accept(true);
      try {
        publish(observer, AFTER);
      } finally {
        reload.accept(false);
      }
    }
  }

  private static void publish(RawWebSocket observer, String payload) {
    observer.text(
        "{\"type\":\"publish\",\"topic\":\"" + TOPIC + "\",\"payload\":\"" + payload + "\"}");
    observer.await("message");
  }

  /** Returns how often the rule was removed and restored, or 0 without an operator. */
  static int cycles(RuleReloads operator) {
    if (operator == null) {
      return 0;
    }
    if (operator.failure != null) {
      throw new IllegalStateException("the reloads failed", operator.failure);
    }
    return operator.cycles;
  }

  /** Restores the rule, and throws what the operator or the observer failed with. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    cycles(this);
  }
}
