package io.sluice.gateway.hub;

import io.sluice.gateway.shard.TopicUser;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Command queue of one interest and of the interests that it feeds. Any thread may post. The
 * commands run one at a time and in order on the threads of {@link Sequencers}, or on the thread
 * that posts a message. Therefore the state that they change needs no lock.
 *
 * <p>While the queue of a user of its messages is full, the commands wait: a topic that exceeds the
 * capacity of an event loop does not fill that loop's queue.
 *
 * <p>Messages must be admitted first. Their number and bytes are limited per mailbox, and their
 * bytes also for all mailboxes of the node. Other commands are few and always accepted.
 */
final class Mailbox implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Mailbox.class);

  private static final int QUEUE_CHUNK = 16;

  /** Maximum size of a message that its thread encodes; a larger one takes too long. */
  private static final int MAX_CALLER_BYTES = 8 * 1024;

  private final Sequencers sequencers;
  private final IngressBudget budget;
  private final MpscUnboundedArrayQueue<Runnable> queue =
      new MpscUnboundedArrayQueue<>(QUEUE_CHUNK);
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong posted = new AtomicLong();
  private final AtomicLong executed = new AtomicLong();
  private final AtomicInteger messages = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  /** User that was full after the latest message, or null. Bound to the sequencer. */
  private TopicUser full;

  Mailbox(Sequencers sequencers, IngressBudget budget) {
    this.sequencers = sequencers;
    this.budget = budget;
    budget.opened();
  }

  /** Appends a command. Any thread may call it. */
  void post(Runnable command) {
    if (enqueue(command)) {
      execute(false);
    }
  }

  /**
   * Appends a message, or a command that is as short. An idle mailbox runs on the calling thread,
   * which saves the wake-up of another one, if the message is small and {@link
   * Sequencers#callerMayRun} permits it. Any thread that never waits for a sequencer may call it.
   */
  void postMessage(Runnable message, int size) {
    long nowNs = sequencers.nanoTime();
    boolean callerRuns = size <= MAX_CALLER_BYTES && sequencers.callerMayRun(nowNs);
    if (!enqueue(message)) {
      return;
    }
    if (callerRuns) {
      runOnCaller(nowNs);
    } else {
      execute(false);
    }
  }

  /** Appends a command; returns whether the caller must run the mailbox. */
  private boolean enqueue(Runnable command) {
    posted.incrementAndGet();
    queue.offer(command);
    return !scheduled.get() && scheduled.compareAndSet(false, true);
  }

  /** Returns the number of posted commands; a message counts as one. */
  long posted() {
    return posted.get();
  }

  /** Returns the number of commands that have run. */
  long executed() {
    return executed.get();
  }

  /**
   * Reserves capacity for a message.
   *
   * @param size bytes reserved until {@link #release}
   * @return false if the mailbox is full, or the node is full and the mailbox exceeds its share
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

  /** Reserves capacity for a message that must not be dropped. */
  void reserve(int size) {
    messages.incrementAndGet();
    bytes.addAndGet(size);
    budget.reserve(size);
  }

  /** Releases the capacity of a processed message. */
  void release(int size) {
    messages.decrementAndGet();
    bytes.addAndGet(-size);
    budget.release(size);
  }

  /** Returns whether a producer that supports backpressure must pause. */
  boolean isFull() {
    return messages.get() >= budget.pausedMessages() || budget.isOver(bytes.get());
  }

  /** Returns whether all commands posted before this call have run. */
  boolean isIdle() {
    return queue.isEmpty() && !scheduled.get();
  }

  /** Releases the mailbox's share of the budget. No message may follow; commands still run. */
  void close() {
    budget.closed();
  }

  /** Lets later commands wait until a user of the messages is ready. Called by a command. */
  void await(TopicUser user) {
    full = user;
  }

  @Override
  public void run() {
    if (runUntil(sequencers.nanoTime() + Sequencers.QUANTUM_NS)) {
      reschedule(true);
    }
  }

  private void runOnCaller(long startNs) {
    try {
      if (runUntil(startNs + Sequencers.CALLER_QUANTUM_NS)) {
        reschedule(false);
      }
    } finally {
      sequencers.chargeCaller(startNs);
    }
  }

  /** Returns false if the commands continue as soon as a user is ready, perhaps already now. */
  private boolean runUntil(long deadline) {
    do {
      if (full != null && !queue.isEmpty() && waits()) {
        return false;
      }
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
    return true;
  }

  private boolean waits() {
    TopicUser user = full;
    full = null; // first: another thread may continue before the call returns
    return user.whenReady(() -> execute(true));
  }

  private void reschedule(boolean backlogged) {
    if (!queue.isEmpty()) {
      execute(backlogged);
      return;
    }
    scheduled.set(false);
    // A command may have been posted by a thread that found this mailbox still scheduled.
    if (!queue.isEmpty() && scheduled.compareAndSet(false, true)) {
      execute(backlogged);
    }
  }

  // A failed command must not prevent later ones.
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
    } catch (OutOfMemoryError e) { // no thread could start; the next command retries
      scheduled.set(false);
    }
  }
}
