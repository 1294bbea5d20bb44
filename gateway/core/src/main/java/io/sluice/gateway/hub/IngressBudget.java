package io.sluice.gateway.hub;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits of the messages queued between the JMS client and the sequencers. Above the node's total,
 * only mailboxes above an equal share reject messages: a hot topic causes no loss for a quiet one.
 * Any thread may call it.
 */
final class IngressBudget {
  /** Part of a mailbox's limits that producers use that can pause; bursts of others use it all. */
  private static final int PAUSED_PART = 4;

  private final HubLimits limits;
  private final AtomicLong used = new AtomicLong();
  private final AtomicInteger mailboxes = new AtomicInteger();

  IngressBudget(HubLimits limits) {
    this.limits = limits;
  }

  /** Returns the maximum number of messages of one mailbox. */
  int messages() {
    return limits.ingressQueue();
  }

  /** Returns the number of messages of one mailbox at which its producer has to pause. */
  int pausedMessages() {
    return Math.max(1, limits.ingressQueue() / PAUSED_PART);
  }

  /** Counts an open mailbox. */
  void opened() {
    mailboxes.incrementAndGet();
  }

  /** Discounts a closed mailbox. */
  void closed() {
    mailboxes.decrementAndGet();
  }

  /**
   * Adds a message unless it exceeds a limit; returns whether it was added.
   *
   * @param mailboxBytes bytes of its mailbox, this message included
   */
  boolean admit(int size, long mailboxBytes) {
    // A single message is always admitted; limits.broker-message-bytes bounds its size.
    if (mailboxBytes > limits.ingressQueueBytes() && mailboxBytes > size) {
      return false;
    }
    long total = used.addAndGet(size);
    if (total > limits.ingressMemory() && mailboxBytes > share() && mailboxBytes > size) {
      used.addAndGet(-size);
      return false;
    }
    return true;
  }

  /** Returns whether the producer of a mailbox of this size has to pause. */
  boolean isOver(long mailboxBytes) {
    return mailboxBytes > limits.ingressQueueBytes() / PAUSED_PART
        || used.get() > limits.ingressMemory() && mailboxBytes > share();
  }

  private long share() {
    return limits.ingressMemory() / Math.max(1, mailboxes.get());
  }

  /** Adds a message that must not be dropped. */
  void reserve(int size) {
    used.addAndGet(size);
  }

  /** Removes a processed message. */
  void release(int size) {
    used.addAndGet(-size);
  }

  /** Returns the bytes queued in all mailboxes. */
  long used() {
    return used.get();
  }
}
