package io.sluice.gateway.presence;

import io.sluice.cluster.replica.ReplicatedMap;
import io.sluice.gateway.protocol.presence.PresenceMember;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Members replicated between the nodes, those of nodes that have departed, and the names of nodes
 * that are lost. Bound to the presence thread.
 */
final class PresencePeers implements ReplicatedMap.Listener<PresenceKey, PresenceEntry> {
  /** Maximum number of lost nodes that are remembered. */
  private static final int MAX_LOST = 256;

  /** Time without a change after which other nodes are notified of the revision. */
  private static final long DIGEST_MS = 5_000;

  private final PresenceOptions options;

  /** Receives topics whose members may have changed. */
  private final Consumer<String> listener;

  private final Runnable onStateRequested;
  private final ReplicatedMap<PresenceKey, PresenceEntry> entries;
  private final List<Departed> departed = new ArrayList<>();

  /** Names of nodes that have disappeared, with the time at which they are forgotten. */
  private final Map<String, Long> lost = new HashMap<>();

  private long nowMs;

  /**
   * Members of a node that has left the view.
   *
   * @param untilMs end of the grace time of its members
   */
  private record Departed(
      Object peer, NavigableMap<PresenceKey, PresenceEntry> entries, long untilMs) {}

  PresencePeers(
      PresenceOptions options,
      BiConsumer<Object, byte[]> link,
      Consumer<String> listener,
      Runnable onStateRequested) {
    this.options = options;
    this.listener = listener;
    this.onStateRequested = onStateRequested;
    this.entries =
        new ReplicatedMap<>(
            new ReplicatedMap.Options(
                PresenceCodec.CHANNEL,
                options.maxEntries(),
                Integer.MAX_VALUE,
                options.partsPerTick(),
                DIGEST_MS),
            new PresenceCodec(),
            link::accept,
            this);
  }

  /** Returns the replicated members, to change those of this node. */
  ReplicatedMap<PresenceKey, PresenceEntry> entries() {
    return entries;
  }

  /** Returns whether there is no other node, present, departed or lost. */
  boolean isEmpty() {
    return entries.peers().isEmpty() && departed.isEmpty() && lost.isEmpty();
  }

  /** Returns whether a node's members may be missing. */
  boolean isPartial() {
    return !lost.isEmpty() || !entries.peers().stream().allMatch(this::isComplete);
  }

  private boolean isComplete(Object peer) {
    return entries.isCurrent(peer)
        && !(entries.of(peer).get(PresenceKey.OWNER) instanceof PresenceEntry.Owner owner
            && owner.incomplete());
  }

  /** Replaces the view. */
  void onView(List<?> peers, long atMs) {
    nowMs = atMs;
    entries.onView(peers, nowMs);
    peers.forEach(peer -> lost.remove(String.valueOf(peer)));
  }

  @Override
  public void onGone(
      Object peer, NavigableMap<PresenceKey, PresenceEntry> former, boolean announced) {
    if (!announced && lost.size() < MAX_LOST) {
      String name = name(former, peer);
      if (entries.peers().stream().noneMatch(next -> name(entries.of(next), next).equals(name))) {
        lost.put(name, nowMs + options.lostMs()); // otherwise it has restarted
      }
    }
    onDeparted(peer, former, nowMs);
  }

  /** Retains the members of a node for their grace time. */
  void onDeparted(Object peer, NavigableMap<PresenceKey, PresenceEntry> former, long atMs) {
    Departed gone = new Departed(peer, former, atMs + options.absenceMs());
    departed.add(gone);
    reportChanges(gone);
  }

  /** A linked node is lost. */
  void onLost(String name, long atMs) {
    if (lost.size() < MAX_LOST) {
      lost.put(name, atMs + options.lostMs());
    }
  }

  /** A linked node has returned. */
  void onFound(String name) {
    lost.remove(name);
  }

  /** Returns whether a node of the cluster has an entry. */
  boolean haveEntry(PresenceKey key) {
    return entries.peers().stream().anyMatch(each -> entries.of(each).containsKey(key));
  }

  private static String name(Map<PresenceKey, PresenceEntry> entries, Object peer) {
    return entries.get(PresenceKey.OWNER) instanceof PresenceEntry.Owner owner
        ? owner.name()
        : peer.toString();
  }

  private void reportChanges(Departed former) {
    String previous = null;
    for (PresenceKey key : former.entries().keySet()) {
      if (!key.topic().equals(previous)) {
        previous = key.topic();
        listener.accept(previous);
      }
    }
  }

  @Override
  public void onChange(Object peer, PresenceKey key, PresenceEntry value) {
    if (value instanceof PresenceEntry.Owner owner) {
      lost.remove(owner.name());
    } else {
      listener.accept(key.topic());
    }
  }

  @Override
  public void onRequest(Object peer) {
    onStateRequested.run();
  }

  /** Handles a message of a node; it is ignored if the node is not in the view. */
  void onMessage(Object from, byte[] message, long atMs) throws IOException {
    nowMs = atMs;
    entries.onMessage(from, message, nowMs);
    if (entries.isCurrent(from)) {
      discardIf(former -> former.peer().equals(from)); // it has returned
    }
  }

  private void discardIf(Predicate<Departed> condition) {
    List<Departed> discarded = departed.stream().filter(condition).toList();
    departed.removeAll(discarded);
    discarded.forEach(this::reportChanges);
  }

  void onTick(long atMs) {
    nowMs = atMs;
    entries.onTick(nowMs);
    lost.values().removeIf(untilMs -> untilMs <= nowMs);
    discardIf(former -> former.untilMs() <= nowMs);
  }

  /** Adds the members of a topic. Returns the number of those that are not listed. */
  int addTo(Map<String, PresenceMember> members, String topic) {
    int unlisted = 0;
    for (Object peer : entries.peers()) {
      unlisted += addTo(members, PresenceKey.ofTopic(entries.of(peer), topic));
    }
    return unlisted;
  }

  /** Adds listed members of a topic. Returns the number of those that are not listed. */
  static int addTo(
      Map<String, PresenceMember> members, NavigableMap<PresenceKey, PresenceEntry> ofTopic) {
    for (Map.Entry<PresenceKey, PresenceEntry> each : ofTopic.entrySet()) {
      if (each.getValue() instanceof PresenceEntry.Count count) {
        return count.members(); // precedes all members, which may be outdated
      }
      if (each.getValue() instanceof PresenceEntry.Listed listed) {
        String id = each.getKey().id();
        members.computeIfAbsent(id, key -> listed.member(id));
      }
    }
    return 0;
  }

  /**
   * Adds the members of a topic at nodes that have left the view. Unlisted ones are omitted,
   * because a member could be counted again at another node.
   */
  void addDeparted(Map<String, PresenceMember> members, String topic) {
    departed.forEach(former -> addTo(members, PresenceKey.ofTopic(former.entries(), topic)));
  }
}
