package io.sluice.gateway.sim.queue;

import java.util.TreeMap;

/** Consumer of a client, as the client knows it. */
final class ClientConsumer {
  final long ref;
  final String queue;

  /** Messages that the client has received and not tried to settle. */
  final TreeMap<Long, Delivered> pending = new TreeMap<>();

  private final TreeMap<Integer, Integer> credits = new TreeMap<>();
  private int lastCredit;
  private long lastTag;
  private boolean active;

  /** Time of a failed settlement, until the release that follows it; 0 without one. */
  long failedMicros;

  /** Time since which a released message waits for the settlement of the others; -1 without one. */
  private long returningMicros = -1;

  /** True once the client has sent {@code unsubscribe}. */
  boolean ending;

  ClientConsumer(long ref, String queue, int credit) {
    this.ref = ref;
    this.queue = queue;
    credits.put(0, credit);
  }

  boolean isActive() {
    return active && !ending;
  }

  /** Returns the newest tag. */
  long lastTag() {
    return lastTag;
  }

  /** Records that the node has answered. Returns false if it has done that before. */
  boolean activate() {
    boolean first = !active;
    active = true;
    return first;
  }

  /** Records a new credit. Returns its number. */
  int credit(int credit) {
    credits.put(++lastCredit, credit);
    return lastCredit;
  }

  /** Forgets the credits before one that the node has received. */
  void confirmCredit(int number) {
    credits.headMap(number).clear();
  }

  /** Returns the largest credit that may apply. */
  int maxCredit() {
    return credits.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
  }

  /** Records that a message is released. */
  void onReleased(long nowMicros) {
    returningMicros = nowMicros;
  }

  /** Records that all messages are released. */
  void onAllReleased() {
    pending.clear();
    returningMicros = -1;
  }

  // Deliveries that wait for a slow reader may arrive after the answer to a later release.
  private boolean isDispatchedWhileReturning(Delivered delivered) {
    if (pending.isEmpty()) {
      returningMicros = -1;
    }
    return returningMicros >= 0 && delivered.dispatch().atMicros > returningMicros;
  }

  /** Adds a delivery. Returns why the node must not send it, or null. */
  String add(Delivered delivered) {
    if (!active) {
      return "a delivery before the consumer is active";
    }
    if (failedMicros > 0) {
      return "tag " + delivered.tag() + " after a failed settlement without a release";
    }
    if (delivered.tag() <= lastTag) {
      return "tag " + delivered.tag() + " after " + lastTag;
    }
    if (isDispatchedWhileReturning(delivered)) {
      return "tag " + delivered.tag() + " before a released message has returned";
    }
    lastTag = delivered.tag();
    pending.put(lastTag, delivered);
    return pending.size() > maxCredit()
        ? pending.size() + " pending messages with credit " + credits.values()
        : null;
  }

  @Override
  public String toString() {
    return "consumer " + ref + " of " + queue;
  }
}
