package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.FairCapacity;
import io.sluice.gateway.broker.FairQueue;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Destination;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Queue of publishes in which users take turns, and the window of those in flight. The order of
 * each user is preserved. One {@link PublishSession} at a time owns it and consumes it. Any thread;
 * {@link #offer} takes no lock.
 */
final class PublishLane {
  /** One publish. It leaves the lane exactly once, and its listener is notified then. */
  static final class Entry {
    final Publication publication;
    final PublishListener listener;

    /** Headers of a request or a reply, or null. */
    final RequestHeaders request;

    /** Size of the publication, computed once. */
    final long size;

    private long offeredNs;
    private long startedNs;

    /** Returns the start of its sending. */
    long startedNs() {
      return startedNs;
    }

    /** Returns the user who takes turns with others. */
    String user() {
      return listener.requester().user();
    }

    /** Returns the destination of the publication; null for a reply. */
    Destination destination() {
      return isReply() ? null : publication.destination();
    }

    Entry(Publication publication, long size, PublishListener listener) {
      this(publication, null, size, listener);
    }

    Entry(Publication publication, RequestHeaders request, long size, PublishListener listener) {
      this.publication = publication;
      this.request = request;
      this.size = size;
      this.listener = listener;
    }

    /** Returns whether it is a reply to a message of a queue. */
    boolean isReply() {
      return request != null && request.isReply();
    }
  }

  /** Shared capacity of the publishes queued in all lanes. Any thread. */
  static final class Capacity {
    private final GatewayMetrics metrics;
    private final FairCapacity entries;
    private final FairCapacity bytes;

    Capacity(PublishLimits limits, GatewayMetrics metrics) {
      this.metrics = metrics;
      this.entries = new FairCapacity(limits.waiting());
      this.bytes = new FairCapacity(limits.waitingBytes());
    }

    /** Reserves capacity for one publish. Returns false if there is none. */
    boolean reserve(Entry entry) {
      if (!entries.acquire(entry.user())) {
        return false;
      }
      if (!bytes.acquire(entry.user(), entry.size)) {
        entries.release(entry.user());
        return false;
      }
      metrics.publishesWaiting(1);
      return true;
    }

    /** Releases what was reserved. */
    void release(Entry entry) {
      entries.release(entry.user());
      bytes.release(entry.user(), entry.size);
      metrics.publishesWaiting(-1);
    }
  }

  private final PublishLimits limits;
  private final Capacity capacity;
  private final LongSupplier clockNs;
  private final GatewayMetrics metrics;
  private final Queue<Entry> offered = new ConcurrentLinkedQueue<>();

  /** Taken from {@link #offered}. Guarded by this. */
  private final FairQueue<Entry> turns = new FairQueue<>();

  // Guarded by this; iterates in the order of starting.
  private final Set<Entry> inFlight = new LinkedHashSet<>();
  private long inFlightBytes;
  private long endedNs;

  /** Written under the lock of this; null while no session serves the lane. */
  private volatile PublishSession owner;

  /**
   * @param clockNs clock of the timeouts
   */
  PublishLane(
      PublishLimits limits, Capacity capacity, LongSupplier clockNs, GatewayMetrics metrics) {
    this.limits = limits;
    this.capacity = capacity;
    this.clockNs = clockNs;
    this.metrics = metrics;
    this.endedNs = clockNs.getAsLong();
  }

  /** Appends a publish for which the caller has reserved {@link Capacity}. */
  void offer(Entry entry) {
    entry.offeredNs = clockNs.getAsLong();
    offered.add(entry);
    wakeOwner();
  }

  /** Makes a session the owner of the lane. */
  synchronized void attach(PublishSession session) {
    owner = session;
    wakeOwner();
  }

  /** Returns the session that owns the lane, or null. */
  PublishSession owner() {
    return owner;
  }

  long nowNs() {
    return clockNs.getAsLong();
  }

  boolean isOwnedBy(PublishSession session) {
    return owner == session;
  }

  /**
   * Waits for the next publish and for capacity in flight, and moves it into flight.
   *
   * @return null if the session no longer owns the lane
   */
  Entry take(PublishSession session) {
    while (isOwnedBy(session)) {
      Entry next = poll(session);
      if (next != null) {
        return next;
      }
      LockSupport.park(this);
    }
    return null;
  }

  /** Moves the next publish into flight. Returns null if there is none, or no capacity. */
  synchronized Entry poll(PublishSession session) {
    Entry next = owner == session ? waiting().peek() : null;
    if (next == null || !hasCapacity(next.size)) {
      return null;
    }
    turns.poll();
    capacity.release(next);
    metrics.publishesInFlight(1);
    next.startedNs = clockNs.getAsLong();
    inFlight.add(next);
    inFlightBytes += next.size;
    return next;
  }

  /** Returns the queue with all offered publishes. Under the lock of this. */
  private FairQueue<Entry> waiting() {
    for (Entry next = offered.poll(); next != null; next = offered.poll()) {
      turns.add(next.user(), next);
    }
    return turns;
  }

  private boolean hasCapacity(long size) {
    return inFlight.isEmpty()
        || (inFlight.size() < limits.inFlight() && inFlightBytes + size <= limits.inFlightBytes());
  }

  /** Ends a publish in flight. Returns false if it had ended before. */
  synchronized boolean end(Entry entry) {
    if (!inFlight.remove(entry)) {
      return false;
    }
    inFlightBytes -= entry.size;
    endedNs = clockNs.getAsLong();
    metrics.publishesInFlight(-1);
    wakeOwner();
    return true;
  }

  /** Waits until at most {@code max} are in flight, or the session no longer owns the lane. */
  void awaitInFlight(PublishSession session, int max) {
    while (isOwnedBy(session) && inFlight() > max) {
      LockSupport.park(this);
    }
  }

  private synchronized int inFlight() {
    return inFlight.size();
  }

  /** Detaches the session that owns the lane, and returns the publishes in flight. */
  synchronized List<Entry> detach() {
    List<Entry> ended = List.copyOf(inFlight);
    metrics.publishesInFlight(-ended.size());
    inFlight.clear();
    inFlightBytes = 0;
    PublishSession former = owner;
    owner = null;
    if (former != null) {
      former.interrupt();
    }
    return ended;
  }

  /** Removes and returns the queued publishes. */
  synchronized List<Entry> removeWaiting() {
    List<Entry> removed = new ArrayList<>();
    waiting().removeWhile(next -> true, removed::add);
    removed.forEach(capacity::release);
    return removed;
  }

  /**
   * Removes and returns the publishes that have been queued for {@code limitNs} while the session
   * sends earlier ones.
   */
  synchronized List<Entry> removeOverdue(long nowNs, long limitNs) {
    List<Entry> removed = new ArrayList<>();
    waiting().removeWhile(next -> nowNs - next.offeredNs >= limitNs, removed::add);
    removed.forEach(capacity::release);
    return removed;
  }

  /**
   * Returns the time without progress of the oldest publish, in nanoseconds; 0 if there is none. It
   * is the oldest one in flight, otherwise the next one in the queue. A queued one counts from the
   * end of the latest publish.
   */
  synchronized long oldestNs(long nowNs) {
    if (!inFlight.isEmpty()) {
      return nowNs - inFlight.iterator().next().startedNs;
    }
    Entry next = waiting().peek();
    return next == null ? 0 : Math.min(nowNs - next.offeredNs, nowNs - endedNs);
  }

  private void wakeOwner() {
    PublishSession current = owner;
    if (current != null) {
      current.wake();
    }
  }
}
