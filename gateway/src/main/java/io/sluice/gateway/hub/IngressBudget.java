package io.sluice.gateway.hub;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits of the messages that wait between the JMS client and the sequencers. Past the node's total
 * only mailboxes that hold more than an equal share are refused, so that a hot topic does not cost
 * a quiet one its messages. For any thread.
 */
final class IngressBudget {
  private final HubLimits limits;
  private final AtomicLong used = new AtomicLong();
  private final AtomicInteger mailboxes = new AtomicInteger();

  IngressBudget(HubLimits limits) {
    this.limits = limits;
  }

  /** Most messages of one mailbox. */
  int messages() {
    return limits.ingressQueue();
  }

  void opened() {
    mailboxes.incrementAndGet();
  }

  void closed() {
    mailboxes.decrementAndGet();
  }

  /**
   * Adds a message unless there is no room for it.
   *
   * @param mailboxBytes bytes of its mailbox, this message included
   */
  boolean admit(int size, long mailboxBytes) {
    // A single message is admitted whatever its size: limits.broker-message-bytes bounds it.
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

  /** Whether a mailbox with so many bytes exceeds its limit, or its share of the node's. */
  boolean isOver(long mailboxBytes) {
    return mailboxBytes > limits.ingressQueueBytes()
        || used.get() > limits.ingressMemory() && mailboxBytes > share();
  }

  private long share() {
    return limits.ingressMemory() / Math.max(1, mailboxes.get());
  }

  void reserve(int size) {
    used.addAndGet(size);
  }

  void release(int size) {
    used.addAndGet(-size);
  }

  /** Bytes that wait in all mailboxes. */
  long used() {
    return used.get();
  }
}
