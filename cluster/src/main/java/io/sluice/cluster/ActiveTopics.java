package io.sluice.cluster;

import io.sluice.cluster.replica.EntryCodec;
import io.sluice.cluster.replica.ReplicatedMap;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jgroups.Address;

/**
 * Replicated set of active topics: each node owns the names in use there. Bound to the cluster's
 * thread, except {@link #ofOthers}.
 */
final class ActiveTopics {
  /** Interval of {@link #onTick}. */
  static final long TICK_MS = 200;

  /** First byte of all messages. */
  static final int CHANNEL = 1;

  /** Longer names of topics are omitted. */
  static final int MAX_TOPIC_BYTES = 1024;

  /** Parts of the whole set that a node receives in one tick. */
  private static final int PARTS_PER_TICK = 4;

  private static final long DIGEST_MS = 60_000;
  private static final int MAX_REQUESTS = 16;

  private final MemberTable membership;
  private final Supplier<List<String>> inUse;
  private final int maxNames;
  private final LongSupplier clockMs;
  private final ReplicatedMap<String, Boolean> names;

  /** Names that were last read. */
  private List<String> latest = List.of();

  /** Names of this node that are shared. */
  private final Set<String> shared = new HashSet<>();

  /** Number of names of this node that are not shared because of a limit. */
  private int excluded;

  /** Number of other nodes that use a name, in the order of their arrival. */
  private final Map<String, Integer> users = new LinkedHashMap<>();

  private final List<Request> requests = new ArrayList<>();

  /** True after the first view. */
  private boolean joined;

  private boolean changed;
  private volatile SharedTopics ofOthers = SharedTopics.NONE;

  /**
   * Request for the names of all nodes.
   *
   * @param halfMs time from which on the names of one node that is up suffice
   * @param endMs time at which it fails
   */
  private record Request(
      int limit, long halfMs, long endMs, CompletableFuture<List<String>> answer) {}

  /**
   * @param inUse supplies this node's names; the same object until they change
   * @param maxNames limit for this node, for each other one, and for all others together
   * @param sender sends a message to one node
   * @param clockMs monotonic clock
   */
  ActiveTopics(
      MemberTable membership,
      Supplier<List<String>> inUse,
      int maxNames,
      BiConsumer<Object, byte[]> sender,
      LongSupplier clockMs) {
    this.membership = membership;
    this.inUse = inUse;
    this.maxNames = maxNames;
    this.clockMs = clockMs;
    this.names =
        new ReplicatedMap<>(
            new ReplicatedMap.Options(CHANNEL, maxNames, 1, PARTS_PER_TICK, DIGEST_MS),
            new Names(),
            sender,
            new Users());
  }

  /** Returns the active topics of the other nodes. Any thread. */
  SharedTopics ofOthers() {
    return ofOthers;
  }

  /** Requests the names of all other nodes, with the semantics of {@link Cluster#activeTopics}. */
  void request(int limit, long timeoutMs, CompletableFuture<List<String>> answer) {
    if (requests.size() >= MAX_REQUESTS) {
      answer.completeExceptionally(
          new IllegalStateException(
              "more than " + MAX_REQUESTS + " concurrent requests for topics"));
      return;
    }
    long nowMs = clockMs.getAsLong();
    int names = Math.min(limit, maxNames);
    requests.add(new Request(names, nowMs + timeoutMs / 2, nowMs + timeoutMs, answer));
  }

  /** Reads this node's names, and sends and answers what is due. To be called at its interval. */
  void onTick() {
    share();
    names.onTick(clockMs.getAsLong());
    if (changed) {
      changed = false;
      List<String> known = users.keySet().stream().limit(maxNames).toList();
      ofOthers = new SharedTopics(known, users.size() - known.size() + excluded);
    }
    List.copyOf(requests).stream().filter(this::isAnswered).forEach(requests::remove);
  }

  private boolean isAnswered(Request request) {
    long nowMs = clockMs.getAsLong();
    List<Object> current = names.peers().stream().filter(names::isCurrent).toList();
    boolean all = membership.hasAllStatuses() && current.size() == names.peers().size();
    boolean one = current.stream().anyMatch(peer -> membership.isUp((Address) peer));
    boolean full = users.size() >= request.limit;
    if (joined && (all || full || one && nowMs >= request.halfMs)) {
      request.answer.complete(users.keySet().stream().limit(request.limit).toList());
    } else if (nowMs >= request.endMs) {
      request.answer.completeExceptionally(
          new TimeoutException(
              current.size() + " of " + names.peers().size() + " nodes sent all topics in time"));
    }
    return request.answer.isDone();
  }

  private void share() {
    List<String> now = inUse.get();
    if (now == latest) {
      return;
    }
    latest = now;
    Set<String> next = new LinkedHashSet<>(now);
    for (String name : List.copyOf(shared)) {
      if (!next.contains(name)) {
        names.remove(name);
        shared.remove(name);
      }
    }
    for (String name : next) {
      boolean fits = name.getBytes(StandardCharsets.UTF_8).length <= MAX_TOPIC_BYTES;
      if (fits && !shared.contains(name) && names.put(name, true)) {
        shared.add(name);
      }
    }
    changed |= excluded != now.size() - shared.size();
    excluded = now.size() - shared.size();
  }

  /** Replaces the other nodes of the view, which at first receive the names in use now. */
  void onView(List<?> others) {
    joined = true;
    share();
    names.onView(others, clockMs.getAsLong());
  }

  /** Handles a message of another node; fails if it is malformed. */
  void onMessage(Object from, byte[] message) throws IOException {
    names.onMessage(from, message, clockMs.getAsLong());
  }

  /** Codec of a set, whose values are true. */
  private static final class Names implements EntryCodec<String, Boolean> {
    @Override
    public void writeKey(String name, DataOutputStream out) throws IOException {
      out.write(name.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String readKey(DataInputStream in) throws IOException {
      byte[] name = in.readAllBytes();
      if (name.length > MAX_TOPIC_BYTES) {
        throw new IOException("topic of " + name.length + " bytes");
      }
      return new String(name, StandardCharsets.UTF_8);
    }

    @Override
    public void writeValue(Boolean present, DataOutputStream out) {}

    @Override
    public Boolean readValue(DataInputStream in) {
      return true;
    }
  }

  /** Counter of the other nodes that use a name. */
  private final class Users implements ReplicatedMap.Listener<String, Boolean> {
    @Override
    public void onChange(Object owner, String name, Boolean present) {
      if (present == null) {
        remove(name);
      } else {
        changed |= users.merge(name, 1, Integer::sum) == 1;
      }
    }

    @Override
    public void onGone(Object owner, NavigableMap<String, Boolean> former, boolean announced) {
      former.keySet().forEach(this::remove);
    }

    private void remove(String name) {
      changed |= users.computeIfPresent(name, (key, n) -> n == 1 ? null : n - 1) == null;
    }
  }
}
