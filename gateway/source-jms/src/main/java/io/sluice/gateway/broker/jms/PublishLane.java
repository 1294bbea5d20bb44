package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishCapacity;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.limits.FairQueue;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Destination;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

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

    /** Returns the user who takes turns with others. */
    String user() {
      return listener.requester().user();
    }

    /** Returns the destination, equal for all publishes to it. */
    Object target() {
      return isReply() ? request.to() : publication.destination();
    }

    /** Returns the destination in words. */
    String targetName() {
      if (isReply()) {
        return "the reply destination";
      }
      Destination destination = publication.destination();
      return (destination.isQueue() ? "queue " : "topic ") + destination.name();
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

  /**
   * Destination for which the broker has no space. Its publishes do not count in the window of the
   * lane, so that others overtake them.
   */
  private static final class Full {
    /** Time of the latest progress, or of the start. */
    long sinceNs;

    /** The latest publish that was held or refused. */
    Entry latest;

    /** Publishes that wait in the node. */
    final Deque<Entry> held = new ArrayDeque<>();

    /** Publishes that wait at the broker. */
    final Set<Entry> sent = new LinkedHashSet<>();

    /** Publishes that wait at the broker after they were refused. */
    final Set<Entry> refused = new HashSet<>();

    Full(long sinceNs) {
      this.sinceNs = sinceNs;
    }

    boolean isAtBroker() {
      return !sent.isEmpty() || !refused.isEmpty();
    }
  }

  /** Time without progress after which publishes to a full destination are refused. */
  private static final long FULL_NS = TimeUnit.SECONDS.toNanos(2);

  /** Interval of the checks whether a destination has space. */
  private static final long SPACE_CHECK_NS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Maximum publishes that wait at the broker for full destinations, in windows of the lane. */
  private static final int MAX_WINDOWS = 4;

  private final PublishLimits limits;
  private final PublishCapacity capacity;
  private final LongSupplier clockNs;
  private final GatewayMetrics metrics;
  private final Queue<Entry> offered = new ConcurrentLinkedQueue<>();

  /** Taken from {@link #offered}. Guarded by this. */
  private final FairQueue<Entry> turns = new FairQueue<>();

  // Guarded by this; iterates in the order of starting.
  private final Set<Entry> inFlight = new LinkedHashSet<>();
  private long inFlightBytes;
  private long endedNs;

  /** Full destinations by {@link Entry#target}. Guarded by this. */
  private final Map<Object, Full> full = new LinkedHashMap<>();

  private long heldBytes;

  /** Written under the lock of this; null while no session serves the lane. */
  private volatile PublishSession owner;

  /**
   * @param clockNs clock of the timeouts
   */
  PublishLane(
      PublishLimits limits,
      PublishCapacity capacity,
      LongSupplier clockNs,
      GatewayMetrics metrics) {
    this.limits = limits;
    this.capacity = capacity;
    this.clockNs = clockNs;
    this.metrics = metrics;
    this.endedNs = clockNs.getAsLong();
  }

  /** Appends a publish for which the caller has reserved {@link PublishCapacity}. */
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
      boolean sent = session.sendHeld();
      Entry next = poll(session);
      if (next != null) {
        return next;
      }
      if (!sent) {
        parkUntilWork();
      }
    }
    return null;
  }

  private void parkUntilWork() {
    if (firstHeld().isEmpty()) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, SPACE_CHECK_NS);
    }
  }

  /** Moves the next publish into flight. Returns null if there is none, or no capacity. */
  synchronized Entry poll(PublishSession session) {
    Entry next = owner == session ? waiting().peek() : null;
    if (next == null || !hasCapacity(next.size)) {
      return null;
    }
    turns.poll();
    release(next);
    metrics.publishesInFlight(1);
    next.startedNs = clockNs.getAsLong();
    addInFlight(next);
    return next;
  }

  private void addInFlight(Entry entry) {
    inFlight.add(entry);
    inFlightBytes += entry.size;
  }

  private boolean removeInFlight(Entry entry) {
    if (!inFlight.remove(entry)) {
      return false;
    }
    inFlightBytes -= entry.size;
    return true;
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
    if (!removeInFlight(entry) && !endAtBroker(entry)) {
      return false;
    }
    endedNs = clockNs.getAsLong();
    metrics.publishesInFlight(-1);
    wakeOwner();
    return true;
  }

  private boolean endAtBroker(Entry entry) {
    Full destination = full.get(entry.target());
    if (destination == null) {
      return false;
    }
    boolean waited = destination.sent.remove(entry);
    if (waited || destination.refused.remove(entry)) {
      destination.sinceNs = clockNs.getAsLong();
      if (!destination.isAtBroker()) {
        wakeOwner();
        if (destination.held.isEmpty()) {
          full.remove(entry.target());
        }
      }
    }
    return waited;
  }

  /** Returns whether a publish has to wait for others to its destination, which is full. */
  synchronized boolean isFull(Entry entry) {
    return !full.isEmpty() && full.containsKey(entry.target());
  }

  /**
   * Holds a publish in flight whose destination is full, outside the window. Returns false if it
   * has to be refused: the broker has accepted none for some time, or too many are held.
   */
  synchronized boolean hold(Entry entry) {
    long nowNs = clockNs.getAsLong();
    Full destination = full.computeIfAbsent(entry.target(), any -> new Full(nowNs));
    destination.latest = entry;
    if (nowNs - destination.sinceNs >= FULL_NS || !canHold(entry.size)) {
      return false;
    }
    if (removeInFlight(entry)) {
      destination.held.add(entry);
      heldBytes += entry.size;
    }
    return true;
  }

  private boolean canHold(long size) {
    int held = full.values().stream().mapToInt(each -> each.held.size()).sum();
    return held == 0 || (held < limits.inFlight() && heldBytes + size <= limits.inFlightBytes());
  }

  /**
   * Returns the next publish to each full destination at which the broker has none; also one that
   * has ended, if no other waits.
   */
  synchronized List<Entry> firstHeld() {
    return full.isEmpty()
        ? List.of()
        : full.values().stream()
            .filter(each -> !each.isAtBroker())
            .map(each -> each.held.isEmpty() ? each.latest : each.held.peek())
            .toList();
  }

  /**
   * The destination of a {@linkplain #firstHeld held} publish has space. Returns whether the
   * publish is in flight again and has to be sent.
   */
  synchronized boolean resume(PublishSession session, Entry entry) {
    Full destination = full.get(entry.target());
    if (owner != session || destination == null || !hasCapacity(entry.size)) {
      return false;
    }
    boolean waited = destination.held.peek() == entry && destination.held.remove(entry);
    if (waited) {
      heldBytes -= entry.size;
      addInFlight(entry);
    }
    destination.sinceNs = clockNs.getAsLong();
    if (destination.held.isEmpty()) {
      full.remove(entry.target());
    }
    return waited;
  }

  /** Returns the publishes in flight. */
  synchronized List<Entry> sent() {
    return List.copyOf(inFlight);
  }

  /**
   * The broker has confirmed everything that it accepted of the {@linkplain #sent sent} publishes.
   * For the others it has no space, and they leave the window.
   */
  synchronized void onConfirmed(List<Entry> sent) {
    int waiting = full.values().stream().mapToInt(e -> e.sent.size() + e.refused.size()).sum();
    long nowNs = clockNs.getAsLong();
    for (Entry entry : sent) {
      if (waiting < MAX_WINDOWS * limits.inFlight() && removeInFlight(entry)) {
        waiting++;
        full.computeIfAbsent(entry.target(), any -> new Full(nowNs)).sent.add(entry);
      }
    }
    wakeOwner();
  }

  /**
   * Removes and returns the publishes to full destinations of which the broker has accepted none
   * for some time, and those that have waited for {@code limitNs}.
   */
  synchronized List<Entry> removeBlocked(long nowNs, long limitNs) {
    List<Entry> removed = new ArrayList<>();
    for (Full destination : full.values()) {
      boolean stuck = nowNs - destination.sinceNs >= FULL_NS;
      Predicate<Entry> overdue = entry -> stuck || nowNs - entry.startedNs >= limitNs;
      List<Entry> atBroker = destination.sent.stream().filter(overdue).toList();
      destination.sent.removeAll(Set.copyOf(atBroker));
      destination.refused.addAll(atBroker);
      List<Entry> held = destination.held.stream().filter(overdue).toList();
      destination.held.removeAll(Set.copyOf(held));
      heldBytes -= held.stream().mapToLong(entry -> entry.size).sum();
      removed.addAll(atBroker);
      removed.addAll(held);
    }
    metrics.publishesInFlight(-removed.size());
    return removed;
  }

  /** Waits until at most {@code max} are in flight, or the session no longer owns the lane. */
  void awaitInFlight(PublishSession session, int max) {
    while (isOwnedBy(session) && inFlight() > max) {
      LockSupport.park(this);
    }
  }

  /** Returns the number of publishes in flight. */
  synchronized int inFlight() {
    return inFlight.size();
  }

  /** Detaches the session that owns the lane, and returns the publishes in flight. */
  synchronized List<Entry> detach() {
    List<Entry> ended = new ArrayList<>(inFlight);
    for (Full destination : full.values()) {
      ended.addAll(destination.sent);
      ended.addAll(destination.held);
    }
    metrics.publishesInFlight(-ended.size());
    inFlight.clear();
    inFlightBytes = 0;
    full.clear();
    heldBytes = 0;
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
    waiting().removeIf(next -> true, removed::add);
    removed.forEach(this::release);
    return removed;
  }

  /**
   * Removes and returns the publishes that have been queued for {@code limitNs} while the session
   * sends earlier ones.
   */
  synchronized List<Entry> removeOverdue(long nowNs, long limitNs) {
    List<Entry> removed = new ArrayList<>();
    waiting().removeIf(next -> nowNs - next.offeredNs >= limitNs, removed::add);
    removed.forEach(this::release);
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

  private void release(Entry entry) {
    capacity.release(entry.user(), entry.size);
  }

  private void wakeOwner() {
    PublishSession current = owner;
    if (current != null) {
      current.wake();
    }
  }
}
