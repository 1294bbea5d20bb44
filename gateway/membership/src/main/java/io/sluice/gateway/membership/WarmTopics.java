package io.sluice.gateway.membership;

import io.sluice.cluster.Cluster;
import io.sluice.cluster.SharedTopics;
import io.sluice.gateway.hub.Hub;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pre-subscription of topics that clients of other nodes use: clients that are redirected here find
 * logs for their replay. Bound to the member's thread, except {@link #figures}.
 *
 * <p>Topics are opened in chunks, at most {@link #PER_SECOND}. A chunk is opened when the previous
 * one is active, so a client's subscribe is delayed by one chunk at most. Topics are released at
 * the same rate, {@link MemberOptions#warmLinger} after the last other node has stopped using them.
 */
final class WarmTopics {
  private static final Logger log = LoggerFactory.getLogger(WarmTopics.class);

  /** Largest chunk; a subscribe of a client may be delayed by one chunk. */
  private static final int MAX_CHUNK = 20;

  /** Largest number of topics opened, and of topics released, per second. */
  private static final int PER_SECOND = 100;

  /** Interval of checks for topics that were evicted in favor of clients' topics. */
  private static final long REVIEW_MS = 10_000;

  private final Hub hub;
  private final Predicate<String> served;
  private final LongSupplier clockMs;
  private final int maxTopics;
  private final long lingerMs;

  /** Topics that are requested from the hub. */
  private final Set<String> warm = new LinkedHashSet<>();

  /** Warm topics that no other node uses any more, with the time of their last use. */
  private final Map<String, Long> unused = new LinkedHashMap<>();

  /** Warm topics that the hub has not opened yet. */
  private final Deque<String> toOpen = new ArrayDeque<>();

  private SharedTopics seen = SharedTopics.NONE;
  private double openCredit;
  private double releaseCredit;
  private boolean opening;
  private boolean reviewing;
  private long reviewedMs;
  private boolean limited;

  /** Warm topics that were not open at the latest review. */
  private int closed;

  private volatile Figures figures = new Figures(0, 0);

  /**
   * Sizes for the metrics. Immutable.
   *
   * @param warm topics of other nodes that are open here
   * @param leftOut topics of other nodes that are not open because of a limit
   */
  record Figures(int warm, int leftOut) {}

  /**
   * @param clockMs monotonic clock
   */
  WarmTopics(Hub hub, MemberOptions options, LongSupplier clockMs) {
    this.hub = hub;
    this.served = options.served();
    this.clockMs = clockMs;
    this.maxTopics = options.warmTopics();
    this.lingerMs = options.warmLinger().toMillis();
    this.reviewedMs = clockMs.getAsLong();
  }

  /** Returns the current sizes. Any thread. */
  Figures figures() {
    return figures;
  }

  /**
   * Opens and releases the topics that are due. To be called at the given interval on the thread of
   * {@code later}.
   */
  void onTick(Cluster cluster, long everyMs, Executor later) {
    SharedTopics others = cluster.topicsOfOthers();
    if (others != seen) {
      seen = others;
      follow(others.names());
    }
    review(later);
    openSome(everyMs, later);
    releaseSome(everyMs);
    int notOpen = Math.max(toOpen.size(), closed);
    figures = new Figures(Math.max(0, warm.size() - notOpen), seen.leftOut() + closed);
    logLimit();
  }

  private void logLimit() {
    int leftOut = figures.leftOut();
    if (limited != leftOut > 0) {
      limited = leftOut > 0;
      log.atWarn()
          .addKeyValue("left-out", leftOut)
          .addKeyValue("warm", figures.warm())
          .log("cluster.warm-limit");
    }
  }

  private void follow(Collection<String> names) {
    long nowMs = clockMs.getAsLong();
    Set<String> inUse = new LinkedHashSet<>(names);
    inUse.removeIf(served.negate());
    unused.keySet().removeAll(inUse);
    for (String name : warm) {
      if (!inUse.contains(name)) {
        unused.putIfAbsent(name, nowMs);
      }
    }
    // Unused names that are not open are removed at once; the others are released later.
    Set<String> notOpen = new HashSet<>(toOpen);
    notOpen.removeIf(
        name -> inUse.contains(name) || unused.remove(name) == null || !warm.remove(name));
    if (!notOpen.isEmpty()) {
      toOpen.removeIf(notOpen::contains);
      hub.unpin(List.copyOf(notOpen)); // evicted ones are pinned
    }
    for (String name : inUse) {
      if (warm.add(name)) {
        toOpen.add(name);
      }
    }
  }

  /** Reopens warm topics that were evicted, if there is room for them. */
  private void review(Executor later) {
    long nowMs = clockMs.getAsLong();
    if (reviewing || !toOpen.isEmpty() || opening || nowMs - reviewedMs < REVIEW_MS) {
      return;
    }
    reviewedMs = nowMs;
    reviewing = true;
    hub.pinnedButClosed()
        .whenCompleteAsync(
            (names, failure) -> {
              reviewing = false;
              closed = names == null ? 0 : names.size();
              if (names != null) {
                names.stream().filter(warm::contains).forEach(toOpen::add);
              }
            },
            later);
  }

  private void openSome(long everyMs, Executor later) {
    openCredit = Math.min(openCredit + PER_SECOND * everyMs / 1000.0, MAX_CHUNK);
    if (opening || toOpen.isEmpty() || openCredit < 1) {
      return;
    }
    List<String> chunk = new ArrayList<>();
    while (!toOpen.isEmpty() && chunk.size() < (int) openCredit) {
      String name = toOpen.poll();
      if (warm.contains(name)) {
        chunk.add(name);
      }
    }
    openCredit -= chunk.size();
    opening = true;
    hub.pin(chunk).whenCompleteAsync((active, failure) -> opening = false, later);
  }

  private void releaseSome(long everyMs) {
    releaseCredit = Math.min(releaseCredit + PER_SECOND * everyMs / 1000.0, MAX_CHUNK);
    long dueMs = clockMs.getAsLong() - lingerMs;
    List<String> chunk = new ArrayList<>();
    Iterator<Map.Entry<String, Long>> oldestFirst = unused.entrySet().iterator();
    while (chunk.size() < (int) releaseCredit && oldestFirst.hasNext()) {
      Map.Entry<String, Long> next = oldestFirst.next();
      if (next.getValue() > dueMs && warm.size() <= maxTopics) {
        break;
      }
      oldestFirst.remove();
      warm.remove(next.getKey());
      chunk.add(next.getKey());
    }
    releaseCredit -= chunk.size();
    if (!chunk.isEmpty()) {
      hub.unpin(chunk);
    }
  }
}
