package io.sluice.gateway.presence;

import io.sluice.cluster.replica.ReplicatedMap;
import io.sluice.gateway.presence.PresenceEntry.Watch;
import io.sluice.gateway.protocol.presence.PresenceMember;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/**
 * Members that this node and one linked node exchange. A leaf owns entries of its members and of
 * the topics that it watches. Its root owns those of other members of these topics. Bound to the
 * presence thread.
 */
final class LinkedMembers implements ReplicatedMap.Listener<PresenceKey, PresenceEntry> {
  /** Divisor of the entries of a node: part that it accepts, or sends, over one link. */
  static final int PARTS = 80;

  private static final int CHANGES_PER_TICK = 16;
  private static final long DIGEST_MS = 5_000;

  /** Interval of attempts to send what exceeds the limit. */
  private static final long RETRY_MS = 5_000;

  private final LinkedNode node;
  private final String self;
  private final int maxEntries;
  private final ReplicatedMap<PresenceKey, PresenceEntry> map;

  /** Keys of the entries for the other node by topic, also of those that are not sent yet. */
  private final Map<String, Set<PresenceKey>> keys = new HashMap<>();

  /** Topics of which the other node has changed entries. */
  private final Set<String> changed = new LinkedHashSet<>();

  /** Topics whose entries for the other node may have changed. */
  private final Set<String> unsent = new LinkedHashSet<>();

  /** Of a leaf: its members that were added to those of this node, by topic. */
  private final Map<String, Part> parts = new HashMap<>();

  /** Topics whose entries exceed the limit. */
  private final Set<String> unfit = new LinkedHashSet<>();

  private long retriedMs;
  private boolean incomplete;

  /** True if the other node has announced that it leaves. */
  private boolean announced;

  /** Members of a topic at a leaf. */
  record Part(Map<String, PresenceMember> listed, int unlisted) {
    static final Part NONE = new Part(Map.of(), 0);

    int size() {
      return listed.size() + unlisted;
    }
  }

  LinkedMembers(LinkedNode node, PresenceOptions options, long nowMs) {
    this.node = node;
    this.self = options.node();
    this.maxEntries = options.maxEntries() / PARTS;
    this.map =
        new ReplicatedMap<>(
            new ReplicatedMap.Options(
                PresenceCodec.CHANNEL, maxEntries, CHANGES_PER_TICK, CHANGES_PER_TICK, DIGEST_MS),
            PresenceCodec.ofLinks(),
            (peer, message) -> node.send(message),
            this);
    map.put(PresenceKey.OWNER, new PresenceEntry.Owner(self, false));
    map.onView(List.of(node), nowMs);
  }

  LinkedNode node() {
    return node;
  }

  /** Returns whether all entries of the other node are here. */
  boolean isComplete() {
    return map.isCurrent(node)
        && map.of(node).get(PresenceKey.OWNER) instanceof PresenceEntry.Owner owner
        && !owner.incomplete();
  }

  /** Returns the entries of the other node. */
  NavigableMap<PresenceKey, PresenceEntry> entries() {
    return map.of(node);
  }

  /** Returns the other node's entry about watching a topic, or null. */
  Watch watch(String topic) {
    return entries().get(PresenceKey.watch(topic)) instanceof Watch watch ? watch : null;
  }

  void onMessage(byte[] message, long nowMs) throws IOException {
    map.onMessage(node, message, nowMs);
  }

  @Override
  public void onChange(Object owner, PresenceKey key, PresenceEntry value) {
    changed.add(key.topic());
  }

  @Override
  public void onGone(
      Object owner, NavigableMap<PresenceKey, PresenceEntry> former, boolean announced) {
    this.announced = announced;
  }

  /** Ends the exchange. Returns whether the other node has announced it. */
  boolean end(long nowMs) {
    map.onView(List.of(), nowMs);
    return announced;
  }

  /** Returns the topics that have changed since the last call. */
  List<String> takeChanged() {
    List<String> taken = List.copyOf(changed);
    changed.clear();
    return taken;
  }

  /** Marks a topic whose entries for the other node may have changed. */
  void onUnsent(String topic) {
    if (!topic.isEmpty()) { // otherwise it is an owner
      unsent.add(topic);
    }
  }

  /** Returns the topics whose entries for the other node must be replaced now. */
  List<String> takeUnsent(long nowMs) {
    if (nowMs - retriedMs >= RETRY_MS) {
      retriedMs = nowMs;
      unsent.addAll(unfit);
    }
    List<String> taken = List.copyOf(unsent);
    unsent.clear();
    return taken;
  }

  /** Replaces the entries of a topic for the other node. */
  void set(String topic, Map<PresenceKey, PresenceEntry> entries) {
    boolean fits = true;
    unfit.remove(topic);
    Set<PresenceKey> former = keys.remove(topic);
    if (former != null) {
      former.stream().filter(key -> !entries.containsKey(key)).forEach(map::remove);
    }
    for (Map.Entry<PresenceKey, PresenceEntry> each : entries.entrySet()) {
      fits &= map.put(each.getKey(), each.getValue());
      if (map.contains(each.getKey())) {
        keys.computeIfAbsent(topic, any -> new HashSet<>()).add(each.getKey());
      }
    }
    if (!fits) {
      unfit.add(topic);
    }
  }

  /** Sends what is due, after the entries of {@linkplain #takeUnsent all topics} are replaced. */
  void onTick(long nowMs) {
    if (incomplete == unfit.isEmpty()) {
      incomplete = !incomplete;
      map.put(PresenceKey.OWNER, new PresenceEntry.Owner(self, incomplete));
    }
    map.onTick(nowMs);
  }

  /** Announces that this node leaves. */
  void leave() {
    map.leave();
  }

  /** Returns the members of a topic at the leaf that were added to those of this node. */
  Part part(String topic) {
    return parts.getOrDefault(topic, Part.NONE);
  }

  /** Returns the topics with such members. */
  List<String> topics() {
    return List.copyOf(parts.keySet());
  }

  /** Replaces them, and returns the former ones. */
  Part setPart(String topic, Part part) {
    Part former = part.size() == 0 ? parts.remove(topic) : parts.put(topic, part);
    return former == null ? Part.NONE : former;
  }

  /**
   * Returns the members of a topic that the leaf reports; only their number if they exceed a limit.
   */
  Part reported(String topic, int maxListed) {
    if (!node.mayReport(topic)) {
      return Part.NONE;
    }
    Map<String, PresenceMember> listed = new LinkedHashMap<>();
    NavigableMap<PresenceKey, PresenceEntry> ofTopic = PresenceKey.ofTopic(entries(), topic);
    for (Map.Entry<PresenceKey, PresenceEntry> each : ofTopic.entrySet()) {
      if (each.getValue() instanceof PresenceEntry.Count count) {
        return new Part(Map.of(), Math.min(count.members(), maxEntries));
      }
      String id = each.getKey().id();
      if (each.getValue() instanceof PresenceEntry.Listed member && !id.isEmpty()) {
        listed.put(id, member.member(id));
      }
    }
    return listed.size() > maxListed ? new Part(Map.of(), listed.size()) : new Part(listed, 0);
  }
}
