package io.sluice.gateway.hub;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Barrier over several mailboxes, which runs a task once they have run all earlier commands. Any
 * thread may call it.
 */
final class Fence implements Runnable {
  private final Runnable task;

  /** Number of pending mailboxes, plus one until {@link #open}. */
  private final AtomicInteger awaited = new AtomicInteger(1);

  Fence(Runnable task) {
    this.task = task;
  }

  /** Adds a mailbox. Called before {@link #open}. */
  void await(Mailbox mailbox) {
    awaited.incrementAndGet();
    mailbox.post(this);
  }

  /** Opens the barrier after all mailboxes have been added. */
  void open() {
    run();
  }

  /** Counts a mailbox that has reached the barrier. Called by the mailboxes. */
  @Override
  public void run() {
    if (awaited.decrementAndGet() == 0) {
      task.run();
    }
  }
}
