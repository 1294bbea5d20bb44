package io.sluice.gateway.hub;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of commands of one interest and of those that it feeds. Any thread may post; the commands
 * run one at a time and in order on the threads of {@link Sequencers}, so that the state they
 * change needs no lock.
 *
 * <p>Messages have to be admitted first: their number and bytes are bounded for each mailbox, and
 * their bytes for all mailboxes of the node. Other commands are few and always accepted.
 */
final class Mailbox implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Mailbox.class);

  private static final int CHUNK = 16;

  private final Sequencers sequencers;
  private final IngressBudget budget;
  private final MpscUnboundedArrayQueue<Runnable> queue = new MpscUnboundedArrayQueue<>(CHUNK);
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong posted = new AtomicLong();
  private final AtomicLong executed = new AtomicLong();
  private final AtomicInteger messages = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  Mailbox(Sequencers sequencers, IngressBudget budget) {
    this.sequencers = sequencers;
    this.budget = budget;
    budget.opened();
  }

  /** Appends a command. */
  void post(Runnable command) {
    posted.incrementAndGet();
    queue.offer(command);
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      execute(false);
    }
  }

  /** Number of commands that have been posted; a message counts as one. */
  long posted() {
    return posted.get();
  }

  /** Number of commands that have run. */
  long executed() {
    return executed.get();
  }

  /**
   * Reserves room for a message.
   *
   * @param size bytes that the message occupies until {@link #release}
   * @return false if the mailbox, or the node while this mailbox exceeds its share, is full
   */
  boolean admit(int size) {
    long used = bytes.addAndGet(size);
    if (messages.incrementAndGet() <= budget.messages() && budget.admit(size, used)) {
      return true;
    }
    messages.decrementAndGet();
    bytes.addAndGet(-size);
    return false;
  }

  /** Reserves room for a message that must not be dropped. */
  void reserve(int size) {
    messages.incrementAndGet();
    bytes.addAndGet(size);
    budget.reserve(size);
  }

  /** Returns the room of a message that has been processed. */
  void release(int size) {
    messages.decrementAndGet();
    bytes.addAndGet(-size);
    budget.release(size);
  }

  /** Whether a producer that can wait should do so. */
  boolean isFull() {
    return messages.get() >= budget.messages() || budget.isOver(bytes.get());
  }

  /** Whether all commands that were posted before this call have run. */
  boolean isIdle() {
    return queue.isEmpty() && !scheduled.get();
  }

  /** No more messages follow. */
  void close() {
    budget.closed();
  }

  @Override
  public void run() {
    try {
      runQuantum();
    } finally {
      goOn();
    }
  }

  private void runQuantum() {
    long deadline = sequencers.nanoTime() + Sequencers.QUANTUM_NS;
    do {
      Runnable command = queue.poll();
      if (command == null) {
        break;
      }
      try {
        runOne(command);
      } finally {
        executed.lazySet(executed.get() + 1);
      }
    } while (sequencers.nanoTime() - deadline < 0);
  }

  private void goOn() {
    if (!queue.isEmpty()) {
      execute(true);
      return;
    }
    scheduled.set(false);
    // A command may have been posted in between, by a thread that saw this mailbox scheduled.
    if (!queue.isEmpty() && scheduled.compareAndSet(false, true)) {
      execute(true);
    }
  }

  // A failing command must not stop those behind it.
  private static void runOne(Runnable command) {
    try {
      command.run();
    } catch (RuntimeException | Error e) {
      log.atError().setCause(e).log("sequencer.fault");
    }
  }

  private void execute(boolean backlogged) {
    try {
      sequencers.execute(this, backlogged);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    } catch (OutOfMemoryError e) { // no thread: the next command tries again
      scheduled.set(false);
    }
  }
}
