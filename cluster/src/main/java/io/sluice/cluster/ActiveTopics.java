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
 * Replicated set of active topics: each node owns one set of names, and the others hold a copy of
 * it. Bound to the cluster's thread, except {@link #ofOthers}.
 *
 * <p>A set has a revision, and a change contains the revision that it applies to. A copy that has
 * missed a change requests the whole set. New nodes receive a digest, and all nodes receive one per
 * minute. A copy that missed the latest change detects that by the digest. Changes and parts of a
 * whole set are paced: {@link #onTick} sends a bounded number of them.
 */
final class ActiveTopics {
  /** Interval of {@link #onTick}. */
  static final long TICK_MS = 200;

  /** Parts of a whole set that a node receives in one tick. */
  private static final int PARTS_PER_TICK = 4;

  private static final long DIGEST_MS = 60_000;

  private final MemberTable membership;
  private final int maxNames;
  private final BiConsumer<Address, ClusterMessage> sender;
  private final LongSupplier clockMs;

  /** This node's set as sent to the others. */
  private final Set<String> sent = new LinkedHashSet<>();

  private final Set<String> toAdd = new LinkedHashSet<>();
  private final Set<String> toRemove = new LinkedHashSet<>();
  private long revision;
  private long digestMs;

  /** Number of names of this node that are not shared because of a limit. */
  private int excluded;

  /** Parts of this node's set that are still to be sent, by requesting node. */
  private final Map<Address, Deque<ClusterMessage.TopicsState>> answers = new HashMap<>();

  private final Map<Address, TopicsCopy> copies = new HashMap<>();

  /** Number of copies that contain a name, in the order of their arrival. */
  private final Map<String, Integer> holders = new LinkedHashMap<>();

  private boolean changed;
  private volatile SharedTopics ofOthers = SharedTopics.NONE;

  /**
   * @param maxNames limit for this node, for each other one, and for all others together
   * @param sender sends a message to one node, or to all others if the address is null
   * @param clockMs monotonic clock
   */
  ActiveTopics(
      MemberTable membership,
      int maxNames,
      BiConsumer<Address, ClusterMessage> sender,
      LongSupplier clockMs) {
    this.membership = membership;
    this.maxNames = maxNames;
    this.sender = sender;
    this.clockMs = clockMs;
    this.digestMs = clockMs.getAsLong();
  }

  /** Returns the active topics of the other nodes. Any thread. */
  SharedTopics ofOthers() {
    return ofOthers;
  }

  /** Replaces this node's own set; the others receive the difference with the next ticks. */
  void share(List<String> inUse) {
    Set<String> next = new LinkedHashSet<>();
    Iterator<String> names = inUse.iterator();
    while (names.hasNext() && next.size() < maxNames) {
      String name = names.next();
      if (MessageCodec.size(name) <= MessageCodec.MAX_TOPIC_BYTES) {
        next.add(name);
      }
    }
    changed |= excluded != inUse.size() - next.size();
    excluded = inUse.size() - next.size();
    toRemove.clear();
    sent.stream().filter(name -> !next.contains(name)).forEach(toRemove::add);
    toAdd.clear();
    next.stream().filter(name -> !sent.contains(name)).forEach(toAdd::add);
  }

  /** Sends the messages that are due. To be called every {@link #TICK_MS}. */
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
    copies.values().removeIf(copy -> isOfUnknownNode(copy, nowMs));
    copies.values().forEach(copy -> copy.onTick(nowMs));
    if (changed) {
      publish();
    }
  }

  /**
   * Returns whether a copy's owner is not in the view, and clears that copy. A message may arrive
   * before the view with its sender, so a copy is retained for some time.
   */
  private boolean isOfUnknownNode(TopicsCopy copy, long nowMs) {
    boolean unknown = !membership.has(copy.owner()) && copy.isIdle(nowMs);
    if (unknown) {
      copy.clear();
    }
    return unknown;
  }

  private void sendChange() {
    Part removed = new Part();
    Part added = new Part();
    toRemove.removeIf(name -> removed.add(name, added));
    toAdd.removeIf(name -> added.add(name, removed));
    removed.names.forEach(sent::remove);
    sent.addAll(added.names);
    revision++;
    sendToAll(new ClusterMessage.TopicsChange(revision - 1, revision, added.names, removed.names));
  }

  private ClusterMessage.TopicsChange digest() {
    return new ClusterMessage.TopicsChange(revision, revision, List.of(), List.of());
  }

  private void sendToAll(ClusterMessage message) {
    if (!membership.isAlone()) {
      sender.accept(null, message);
    }
  }

  private void sendParts(Address to, Deque<ClusterMessage.TopicsState> parts) {
    for (int i = 0; i < PARTS_PER_TICK && !parts.isEmpty(); i++) {
      sender.accept(to, parts.poll());
    }
  }

  private void publish() {
    changed = false;
    List<String> names = holders.keySet().stream().limit(maxNames).toList();
    ofOthers = new SharedTopics(names, holders.size() - names.size() + excluded);
  }

  /** Discards the copies and requests of nodes that have left the view. */
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

  /** Starts to send the whole set. A repeated request restarts it, because a part was lost. */
  void onRequest(Address from) {
    answers.put(from, state());
  }

  private Deque<ClusterMessage.TopicsState> state() {
    List<List<String>> parts = new ArrayList<>();
    Part part = new Part();
    for (String name : sent) {
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
    TopicsCopy copy = copies.get(owner);
    if (copy == null && copies.size() < ClusterConfig.MAX_NODES) {
      copy = new TopicsCopy(owner, maxNames, new Holders(), this::request);
      copies.put(owner, copy);
    }
    return copy;
  }

  private void request(Address owner) {
    sender.accept(owner, new ClusterMessage.TopicsStateRequest());
  }

  /** Counter of the copies that contain a name. */
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

    /** Adds a name; returns false if the message, which also contains another part, is full. */
    boolean add(String name, Part other) {
      int size = MessageCodec.size(name);
      if (bytes + other.bytes + size > MessageCodec.MAX_PART_BYTES
          || names.size() + other.names.size() >= MessageCodec.MAX_PART_NAMES) {
        return false;
      }
      names.add(name);
      bytes += size;
      return true;
    }
  }
}
