package io.sluice.gateway.presence;

import io.sluice.gateway.presence.LinkedMembers.Part;
import io.sluice.gateway.presence.PresenceEntry.Watch;
import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Presence over links: members at leaves become members of this node, and a root sends the others.
 * Bound to the presence thread.
 */
final class PresenceLinks {
  /** Time for which an answer waits for the members at other nodes. */
  private static final long WAIT_MS = 1_000;

  private final PresenceOptions options;
  private final LocalMembers members;
  private final PresencePeers peers;

  /** Returns the state of a topic without the members of a leaf. */
  private final BiFunction<LinkedMembers, String, PresenceView> views;

  private final PresenceTable.Listener listener;
  private final Map<LinkedNode, LinkedMembers> links = new LinkedHashMap<>();

  /** Topics that clients of this node attend, with the time since when. */
  private final Map<String, Long> watched = new HashMap<>();

  /** Nodes of which entries are missing. */
  private Set<LinkedNode> incomplete = Set.of();

  PresenceLinks(
      PresenceOptions options,
      LocalMembers members,
      PresencePeers peers,
      BiFunction<LinkedMembers, String, PresenceView> views,
      PresenceTable.Listener listener) {
    this.options = options;
    this.members = members;
    this.peers = peers;
    this.views = views;
    this.listener = listener;
  }

  boolean isEmpty() {
    return links.isEmpty();
  }

  private Stream<LinkedMembers> roots() {
    return links.values().stream().filter(each -> each.node().isRoot());
  }

  private Stream<LinkedMembers> leaves() {
    return links.values().stream().filter(each -> !each.node().isRoot());
  }

  /** A link is open. */
  void onOpened(LinkedNode node, long nowMs) {
    LinkedMembers opened = new LinkedMembers(node, options, nowMs);
    links.put(node, opened);
    peers.onFound(node.name());
    if (node.isRoot()) {
      members.topics().keySet().forEach(opened::onUnsent);
      watched.keySet().forEach(opened::onUnsent);
      leaves().forEach(leaf -> watchedBy(leaf).forEach(opened::onUnsent));
    } else {
      peers.entries().put(ownerOf(node), new PresenceEntry.Owner(node.name(), false));
    }
  }

  private static PresenceKey ownerOf(LinkedNode leaf) {
    return new PresenceKey("", leaf.name());
  }

  private static List<String> watchedBy(LinkedMembers leaf) {
    return leaf.entries().keySet().stream()
        .filter(PresenceKey::isWatch)
        .map(PresenceKey::topic)
        .toList();
  }

  /** Handles a message of a linked node. */
  void onMessage(LinkedNode from, byte[] message, long nowMs) {
    LinkedMembers link = links.get(from);
    if (link != null) {
      try {
        link.onMessage(message, nowMs);
      } catch (IOException e) {
        from.close("presence: " + e.getMessage());
      }
    }
  }

  /** A link is closed: its members remain for their grace time. */
  void onClosed(LinkedNode node, long nowMs) {
    LinkedMembers closed = links.remove(node);
    if (closed == null) {
      return;
    }
    NavigableMap<PresenceKey, PresenceEntry> former = closed.entries();
    boolean announced = closed.end(nowMs);
    if (node.isRoot()) {
      peers.onLost(node.name(), nowMs);
      peers.onDeparted(node, former, nowMs);
      onPartial();
      return;
    }
    for (String topic : closed.topics()) {
      closed
          .setPart(topic, Part.NONE)
          .listed()
          .keySet()
          .forEach(id -> members.leave(topic, id, false, nowMs));
      updateUnlisted(topic);
    }
    if (leaves().noneMatch(other -> other.node().name().equals(node.name()))) {
      peers.entries().remove(ownerOf(node));
      if (!announced && !peers.haveEntry(ownerOf(node))) {
        peers.onLost(node.name(), nowMs);
      }
    }
    onPartial();
  }

  /** Notifies clients and leaves that members may be missing, or are not any more. */
  void onPartial() {
    leaves().forEach(leaf -> watchedBy(leaf).forEach(leaf::onUnsent));
    listener.onPartial();
  }

  private void updateUnlisted(String topic) {
    members.unlisted(topic, leaves().mapToInt(leaf -> leaf.part(topic).unlisted()).sum());
  }

  /** Adds or removes a topic that clients of this node attend. */
  void onWatched(String topic, boolean isWatched, long nowMs) {
    if (isWatched ? watched.putIfAbsent(topic, nowMs) == null : watched.remove(topic) != null) {
      roots().forEach(root -> root.onUnsent(topic));
    }
  }

  /** Members of a topic have changed, here or at another node of the cluster. */
  void onChange(String topic) {
    links.values().forEach(each -> each.onUnsent(topic));
  }

  void onTick(long nowMs) {
    for (LinkedMembers each : links.values()) {
      for (String topic : each.takeChanged()) {
        if (each.node().isRoot()) {
          listener.onChange(topic);
          leaves().forEach(leaf -> leaf.onUnsent(topic));
        } else if (!topic.isEmpty()) {
          report(each, topic, nowMs);
        }
      }
    }
    for (LinkedMembers each : links.values()) {
      if (!each.node().isFull()) {
        each.takeUnsent(nowMs).forEach(topic -> send(each, topic));
        each.onTick(nowMs);
      }
    }
    Set<LinkedNode> now =
        links.values().stream()
            .filter(each -> !each.isComplete())
            .map(LinkedMembers::node)
            .collect(Collectors.toSet());
    if (!now.equals(incomplete)) {
      incomplete = now;
      onPartial();
    }
  }

  /** Adds what a leaf has reported to the members of this node. */
  private void report(LinkedMembers leaf, String topic, long nowMs) {
    Part next = leaf.reported(topic, options.members());
    Part former = leaf.setPart(topic, next);
    next.listed()
        .forEach(
            (id, member) -> {
              PresenceMember before = former.listed().get(id);
              if (!member.equals(before)) {
                members.enter(topic, member, before == null ? 1 : 0, false);
              }
            });
    former.listed().keySet().stream()
        .filter(id -> !next.listed().containsKey(id))
        .forEach(id -> members.leave(topic, id, true, nowMs));
    updateUnlisted(topic);
    leaf.onUnsent(topic); // it may watch the topic
    roots().forEach(root -> root.onUnsent(topic));
  }

  private void send(LinkedMembers to, String topic) {
    Map<PresenceKey, PresenceEntry> entries = new LinkedHashMap<>();
    if (to.node().isRoot()) {
      if (to.node().mayReport(topic)) {
        LocalTopic local = members.topic(topic);
        if (local != null && local.isListed(options.members())) {
          local.addTo(entries, topic);
        } else if (local != null && local.size() > 0) {
          entries.put(PresenceKey.count(topic), new PresenceEntry.Count(local.size()));
        }
      }
      if (to.node().maySee(topic) && isWatched(topic)) {
        entries.put(PresenceKey.watch(topic), Watch.COMPLETE);
      }
    } else if (to.watch(topic) != null) {
      boolean permitted = to.node().maySee(topic);
      PresenceView view = permitted ? views.apply(to, topic) : null;
      if (view != null && view.isTruncated()) {
        entries.put(PresenceKey.count(topic), new PresenceEntry.Count(view.count()));
      } else if (view != null) {
        view.members()
            .forEach(
                each ->
                    entries.put(
                        new PresenceKey(topic, each.id()),
                        new PresenceEntry.Listed(each.subject(), each.info())));
      }
      entries.put(
          PresenceKey.watch(topic),
          view == null ? Watch.REFUSED : view.partial() ? Watch.PARTIAL : Watch.COMPLETE);
    }
    to.set(topic, entries);
  }

  private boolean isWatched(String topic) {
    return watched.containsKey(topic) || leaves().anyMatch(leaf -> leaf.watch(topic) != null);
  }

  /** Adds the members of a topic that roots have listed. Returns the number of all others. */
  int addTo(Map<String, PresenceMember> union, String topic) {
    int unlisted = 0;
    for (LinkedMembers root : roots().toList()) {
      unlisted += PresencePeers.addTo(union, PresenceKey.ofTopic(root.entries(), topic));
    }
    return unlisted;
  }

  /**
   * Returns whether members of a topic at linked nodes may be missing.
   *
   * @param except leaf whose members do not count; null for none
   */
  boolean isPartial(String topic, LinkedMembers except) {
    return links.values().stream().anyMatch(each -> each != except && isMissing(each, topic));
  }

  private static boolean isMissing(LinkedMembers link, String topic) {
    if (!link.node().isRoot()) {
      return link.node().mayReport(topic) && !link.isComplete();
    }
    Watch watch = link.watch(topic);
    return link.node().maySee(topic)
        && watch != Watch.REFUSED
        && (watch != Watch.COMPLETE || !link.isComplete());
  }

  /** Returns whether an answer should wait for the members that a root will send. */
  boolean isAwaited(String topic, long nowMs) {
    Long sinceMs = watched.get(topic);
    return sinceMs != null
        && nowMs - sinceMs < WAIT_MS
        && roots().anyMatch(root -> root.node().maySee(topic) && root.watch(topic) == null);
  }

  /** Announces to the linked nodes that this node leaves. */
  void close() {
    new ArrayList<>(links.values()).forEach(LinkedMembers::leave);
  }
}
