package io.sluice.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jgroups.Address;

/**
 * Replicates active topics: each node owns one set of names, the others hold a copy of it. Bound to
 * the cluster's thread, but {@link #ofOthers}.
 *
 * <p>A set has a revision, and a change names the revision that it applies to. A copy that has
 * missed a change requests the whole set. Newcomers receive a digest, all nodes one a minute, so
 * that a copy that missed the latest change finds out, too. Changes, and parts of a whole set, are
 * paced: {@link #onTick} sends a bounded number of them.
 */
final class ActiveTopics {
  /** Between two calls of {@link #onTick}. */
  static final long PACE_MS = 200;

  /** Parts of a whole set that a node receives in one tick. */
  private static final int PARTS_A_TICK = 4;

  private static final long DIGEST_MS = 60_000;

  private final Membership membership;
  private final int most;
  private final BiConsumer<Address, ClusterMessage> sender;
  private final LongSupplier clockMs;

  /** This node's set as the others know it. */
  private final Set<String> told = new LinkedHashSet<>();

  private final Set<String> toAdd = new LinkedHashSet<>();
  private final Set<String> toRemove = new LinkedHashSet<>();
  private long revision;
  private long digestMs;

  /** Names of this node beyond the limit. */
  private int untold;

  /** Parts of this node's set that are yet to be sent. */
  private final Map<Address, Deque<ClusterMessage.TopicsState>> answers = new HashMap<>();

  private final Map<Address, TopicsCopy> copies = new HashMap<>();

  /** How many copies have a name, in the order in which the names came. */
  private final Map<String, Integer> holders = new LinkedHashMap<>();

  private boolean changed;
  private volatile SharedTopics ofOthers = SharedTopics.NONE;

  /**
   * @param most names of this node, of each other one, and of all others together
   * @param sender takes what goes to one node, or to all others if there is no address
   * @param clockMs only rises
   */
  ActiveTopics(
      Membership membership,
      int most,
      BiConsumer<Address, ClusterMessage> sender,
      LongSupplier clockMs) {
    this.membership = membership;
    this.most = most;
    this.sender = sender;
    this.clockMs = clockMs;
    this.digestMs = clockMs.getAsLong();
  }

  /** Names that the other nodes have in use. Any thread. */
  SharedTopics ofOthers() {
    return ofOthers;
  }

  /** Replaces this node's own set; the others receive the difference with the next ticks. */
  void share(List<String> inUse) {
    Set<String> next = new LinkedHashSet<>();
    Iterator<String> names = inUse.iterator();
    while (names.hasNext() && next.size() < most) {
      String name = names.next();
      if (MessageCodec.size(name) <= MessageCodec.MOST_TOPIC_BYTES) {
        next.add(name);
      }
    }
    changed |= untold != inUse.size() - next.size();
    untold = inUse.size() - next.size();
    toRemove.clear();
    told.stream().filter(name -> !next.contains(name)).forEach(toRemove::add);
    toAdd.clear();
    next.stream().filter(name -> !told.contains(name)).forEach(toAdd::add);
  }

  /** Sends what is due. To be called every {@link #PACE_MS}. */
  void onTick() {
    long nowMs = clockMs.getAsLong();
    if (!toRemove.isEmpty() || !toAdd.isEmpty()) {
      sendChange();
      digestMs = nowMs;
    } else if (revision > 0 && nowMs - digestMs >= DIGEST_MS) {
      digestMs = nowMs;
      sendToAll(digest());
    }
    answers.forEach(this::sendParts);
    answers.values().removeIf(Deque::isEmpty);
    copies.values().removeIf(copy -> isOfAStranger(copy, nowMs));
    copies.values().forEach(copy -> copy.onTick(nowMs));
    if (changed) {
      publish();
    }
  }

  /** A message may come before the view that has its sender; then its copy is kept for that. */
  private boolean isOfAStranger(TopicsCopy copy, long nowMs) {
    boolean stranger = !membership.has(copy.owner()) && copy.isIdle(nowMs);
    if (stranger) {
      copy.clear();
    }
    return stranger;
  }

  private void sendChange() {
    Part removed = new Part();
    Part added = new Part();
    toRemove.removeIf(name -> removed.add(name, added));
    toAdd.removeIf(name -> added.add(name, removed));
    removed.names.forEach(told::remove);
    told.addAll(added.names);
    revision++;
    sendToAll(new ClusterMessage.TopicsChange(revision - 1, revision, added.names, removed.names));
  }

  private ClusterMessage.TopicsChange digest() {
    return new ClusterMessage.TopicsChange(revision, revision, List.of(), List.of());
  }

  private void sendToAll(ClusterMessage telegram) {
    if (!membership.isAlone()) {
      sender.accept(null, telegram);
    }
  }

  private void sendParts(Address to, Deque<ClusterMessage.TopicsState> parts) {
    for (int i = 0; i < PARTS_A_TICK && !parts.isEmpty(); i++) {
      sender.accept(to, parts.poll());
    }
  }

  private void publish() {
    changed = false;
    List<String> names = holders.keySet().stream().limit(most).toList();
    ofOthers = new SharedTopics(names, holders.size() - names.size() + untold);
  }

  /** Nodes have come or gone. */
  void onView() {
    answers.keySet().removeIf(node -> !membership.has(node));
    for (TopicsCopy copy : List.copyOf(copies.values())) {
      if (!membership.has(copy.owner())) {
        copy.clear();
        copies.remove(copy.owner());
      }
    }
  }

  /** Sends a digest to a node that may have missed changes, or to all others if it is null. */
  void sendDigest(Address to) {
    if (revision > 0) {
      sender.accept(to, digest());
    }
  }

  /** The latest request counts: an answer on its way has lost a part. */
  void onRequest(Address from) {
    answers.put(from, state());
  }

  private Deque<ClusterMessage.TopicsState> state() {
    List<List<String>> parts = new ArrayList<>();
    Part part = new Part();
    for (String name : told) {
      if (!part.add(name, Part.NONE)) {
        parts.add(part.names);
        part = new Part();
        part.add(name, Part.NONE);
      }
    }
    parts.add(part.names);
    Deque<ClusterMessage.TopicsState> state = new ArrayDeque<>();
    for (int i = 0; i < parts.size(); i++) {
      boolean last = i == parts.size() - 1;
      state.add(new ClusterMessage.TopicsState(revision, i, last, List.copyOf(parts.get(i))));
    }
    return state;
  }

  void onChange(Address from, ClusterMessage.TopicsChange change) {
    TopicsCopy copy = copy(from);
    if (copy != null) {
      copy.onChange(change, clockMs.getAsLong());
    }
  }

  void onState(Address from, ClusterMessage.TopicsState part) {
    TopicsCopy copy = copies.get(from);
    if (copy != null) {
      copy.onState(part, clockMs.getAsLong());
    }
  }

  private TopicsCopy copy(Address owner) {
    TopicsCopy known = copies.get(owner);
    if (known == null && copies.size() < ClusterConfig.MOST_NODES) {
      known = new TopicsCopy(owner, most, new Holders(), this::request);
      copies.put(owner, known);
    }
    return known;
  }

  private void request(Address owner) {
    sender.accept(owner, new ClusterMessage.TopicsStateRequest());
  }

  /** Counts the copies that have a name. */
  private final class Holders implements TopicsCopy.Listener {
    @Override
    public void onAdded(String name) {
      changed |= holders.merge(name, 1, Integer::sum) == 1;
    }

    @Override
    public void onRemoved(String name) {
      changed |= holders.computeIfPresent(name, (key, n) -> n == 1 ? null : n - 1) == null;
    }
  }

  /** Names of one message. */
  private static final class Part {
    static final Part NONE = new Part();

    private final List<String> names = new ArrayList<>();
    private int bytes;

    /** Returns false if there is no room for another name in the message. */
    boolean add(String name, Part beside) {
      int size = MessageCodec.size(name);
      if (bytes + beside.bytes + size > MessageCodec.MOST_PART_BYTES
          || names.size() + beside.names.size() >= MessageCodec.MOST_PART_NAMES) {
        return false;
      }
      names.add(name);
      bytes += size;
      return true;
    }
  }
}
