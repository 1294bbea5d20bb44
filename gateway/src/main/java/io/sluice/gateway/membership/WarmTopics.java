package io.sluice.gateway.membership;

import io.sluice.cluster.Cluster;
import io.sluice.cluster.SharedTopics;
import io.sluice.gateway.hub.Hub;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
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
 * Keeps topics open that clients of other nodes use, so that clients that move here find logs that
 * reach back. Bound to the member's thread, but {@link #figures}.
 *
 * <p>It opens a chunk of topics when the chunk before it stands, at {@link #PER_SECOND} at most: a
 * client's subscribe waits for one chunk. Topics are given up at the same rate, {@link
 * MemberOptions#warmLinger} after the last other node has stopped using them.
 */
final class WarmTopics {
  private static final Logger log = LoggerFactory.getLogger(WarmTopics.class);

  /** Of topics that are opened at once; a client that subscribes waits for so many. */
  private static final int MOST_AT_ONCE = 20;

  /** Topics opened a second, and given up a second, at most. */
  private static final int PER_SECOND = 100;

  /** Between two looks at topics that had to make room for clients' topics. */
  private static final long REVIEW_MS = 10_000;

  private final Hub hub;
  private final Predicate<String> served;
  private final LongSupplier clockMs;
  private final int most;
  private final long lingerMs;

  /** Topics that the hub was asked to keep. */
  private final Set<String> kept = new LinkedHashSet<>();

  /** Those of them that no other node uses any more, and since when. */
  private final Map<String, Long> unused = new LinkedHashMap<>();

  /** Those that the hub is yet to open. */
  private final Deque<String> toOpen = new ArrayDeque<>();

  /** The latest topics sent to the cluster, and that cluster. */
  private List<String> shared;

  private Cluster sharedWith;
  private SharedTopics seen = SharedTopics.NONE;
  private double openCredit;
  private double releaseCredit;
  private boolean opening;
  private boolean reviewing;
  private long reviewedMs;
  private boolean limited;

  /** Kept topics that were not open at the latest review. */
  private int closed;

  private volatile Figures figures = new Figures(0, 0);

  /**
   * Sizes for the metrics. Immutable.
   *
   * @param warm topics of other nodes that are kept open
   * @param leftOut those that are not, because a limit was reached
   */
  record Figures(int warm, int leftOut) {}

  /**
   * @param clockMs only rises
   */
  WarmTopics(Hub hub, MemberOptions options, LongSupplier clockMs) {
    this.hub = hub;
    this.served = options.served();
    this.clockMs = clockMs;
    this.most = options.warmTopics();
    this.lingerMs = options.warmLinger().toMillis();
    this.reviewedMs = clockMs.getAsLong();
  }

  /** Any thread. */
  Figures figures() {
    return figures;
  }

  /** To be called as often as given, by the thread that {@code later} hands tasks to. */
  void onTick(Cluster cluster, long everyMs, Executor later) {
    share(cluster);
    SharedTopics others = cluster.topicsOfOthers();
    if (others != seen) {
      seen = others;
      follow(others.names());
    }
    review(later);
    openSome(everyMs, later);
    releaseSome(everyMs);
    int notOpen = Math.max(toOpen.size(), closed);
    figures = new Figures(Math.max(0, kept.size() - notOpen), seen.leftOut() + closed);
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

  private void share(Cluster cluster) {
    List<String> inUse = hub.topicsInUse();
    if (inUse != shared || cluster != sharedWith) {
      shared = inUse;
      sharedWith = cluster;
      cluster.shareTopics(inUse);
    }
  }

  private void follow(Collection<String> names) {
    long nowMs = clockMs.getAsLong();
    Set<String> wanted = new LinkedHashSet<>(names);
    wanted.removeIf(served.negate());
    unused.keySet().removeAll(wanted);
    for (String name : kept) {
      if (!wanted.contains(name)) {
        unused.putIfAbsent(name, nowMs);
      }
    }
    // Names that nobody uses any more before they were opened; the others are released in time.
    toOpen.removeIf(
        name -> !wanted.contains(name) && unused.remove(name) != null && kept.remove(name));
    for (String name : wanted) {
      if (kept.add(name)) {
        toOpen.add(name);
      }
    }
  }

  /** Kept topics had to make room: they are opened again if there is room by now. */
  private void review(Executor later) {
    long nowMs = clockMs.getAsLong();
    if (reviewing || !toOpen.isEmpty() || opening || nowMs - reviewedMs < REVIEW_MS) {
      return;
    }
    reviewedMs = nowMs;
    reviewing = true;
    hub.keptButClosed()
        .whenCompleteAsync(
            (names, failure) -> {
              reviewing = false;
              closed = names == null ? 0 : names.size();
              if (names != null) {
                names.stream().filter(kept::contains).forEach(toOpen::add);
              }
            },
            later);
  }

  private void openSome(long everyMs, Executor later) {
    openCredit = Math.min(openCredit + PER_SECOND * everyMs / 1000.0, MOST_AT_ONCE);
    if (opening || toOpen.isEmpty() || openCredit < 1) {
      return;
    }
    List<String> chunk = new ArrayList<>();
    while (!toOpen.isEmpty() && chunk.size() < (int) openCredit) {
      String name = toOpen.poll();
      if (kept.contains(name)) {
        chunk.add(name);
      }
    }
    openCredit -= chunk.size();
    opening = true;
    hub.keepWarm(chunk).whenCompleteAsync((standing, failure) -> opening = false, later);
  }

  private void releaseSome(long everyMs) {
    releaseCredit = Math.min(releaseCredit + PER_SECOND * everyMs / 1000.0, MOST_AT_ONCE);
    long dueMs = clockMs.getAsLong() - lingerMs;
    List<String> chunk = new ArrayList<>();
    Iterator<Map.Entry<String, Long>> oldestFirst = unused.entrySet().iterator();
    while (chunk.size() < (int) releaseCredit && oldestFirst.hasNext()) {
      Map.Entry<String, Long> next = oldestFirst.next();
      if (next.getValue() > dueMs && kept.size() <= most) {
        break;
      }
      oldestFirst.remove();
      kept.remove(next.getKey());
      chunk.add(next.getKey());
    }
    releaseCredit -= chunk.size();
    if (!chunk.isEmpty()) {
      hub.release(chunk);
    }
  }
}
