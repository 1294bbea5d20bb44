package io.sluice.gateway.hub;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fence over several mailboxes: runs a task once they have run all earlier commands. For any
 * thread.
 */
final class Fence implements Runnable {
  private final Runnable task;

  /** Mailboxes that are awaited, and one until {@link #open}. */
  private final AtomicInteger awaited = new AtomicInteger(1);

  Fence(Runnable task) {
    this.task = task;
  }

  /** Adds a mailbox. Before {@link #open}. */
  void await(Mailbox mailbox) {
    awaited.incrementAndGet();
    mailbox.post(this);
  }

  /** All mailboxes have been added. */
  void open() {
    run();
  }

  /** A mailbox has reached the fence. */
  @Override
  public void run() {
    if (awaited.decrementAndGet() == 0) {
      task.run();
    }
  }
}
