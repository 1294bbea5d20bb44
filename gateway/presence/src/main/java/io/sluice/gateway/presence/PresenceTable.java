package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Members of all topics at all nodes, as known to this node. It sends this node's changes to the
 * others. Without threads and clock; bound to the presence thread.
 */
final class PresenceTable {
  /** Interval of {@link #onTick}. */
  static final long TICK_MS = 50;

  private final PresenceOptions options;
  private final Listener listener;
  private final LocalMembers members;
  private final PresencePeers peers;
  private final PresenceLinks links;

  /** Topics with changes that are not replicated yet. */
  private final Set<String> unsent = new LinkedHashSet<>();

  private boolean partial;

  /** True if changes exceed the limit of replicated members; other nodes are notified. */
  private boolean incomplete;

  /** True until the first view, if there is a cluster. */
  private boolean joining;

  /** Listener for changes. Must not change the table. */
  interface Listener {
    /** Notifies that the members of a topic may have changed. */
    void onChange(String topic);

    /** Notifies that {@link PresenceView#partial} of all topics has changed. */
    void onPartial();

    /** Notifies that another node has requested all members of this one. */
    default void onStateRequested() {}
  }

  /**
   * @param clustered whether a first view will follow
   * @param link sends a message to a node of the latest view, in order; it may be lost
   */
  PresenceTable(
      PresenceOptions options,
      boolean clustered,
      BiConsumer<Object, byte[]> link,
      Listener listener) {
    this.options = options;
    this.listener = listener;
    this.joining = clustered;
    this.partial = clustered;
    this.members = new LocalMembers(options.absenceMs(), options.maxAbsences(), this::onOwnChange);
    this.peers = new PresencePeers(options, link, this::onChange, listener::onStateRequested);
    this.links = new PresenceLinks(options, members, peers, this::view, listener);
    if (clustered) {
      peers.entries().put(PresenceKey.OWNER, new PresenceEntry.Owner(options.node(), false));
    }
  }

  private void onOwnChange(String topic) {
    unsent.add(topic);
    onChange(topic);
  }

  /** Notifies clients and linked nodes. */
  private void onChange(String topic) {
    links.onChange(topic);
    listener.onChange(topic);
  }

  /** Returns the links to a root and leaves. */
  PresenceLinks links() {
    return links;
  }

  /** Returns the number of members of all topics at this node. */
  int localCount() {
    return members.count();
  }

  /** Adds a connection of a member. */
  void enter(String topic, PresenceMember member) {
    members.enter(topic, member);
  }

  /**
   * Removes a connection of a member.
   *
   * @param atOnce whether the member leaves without a grace time
   */
  void leave(String topic, String id, boolean atOnce, long nowMs) {
    members.leave(topic, id, atOnce, nowMs);
  }

  /** Returns the members of a topic. */
  PresenceView view(String topic) {
    return view(null, topic);
  }

  /** Returns the members of a topic without those that only a leaf has; null for no leaf. */
  private PresenceView view(LinkedMembers leaf, String topic) {
    Map<String, PresenceMember> union = new HashMap<>();
    LinkedMembers.Part part = leaf == null ? LinkedMembers.Part.NONE : leaf.part(topic);
    Set<String> except = part.listed().keySet();
    LocalTopic local = members.topic(topic);
    int here = local == null ? 0 : local.size() - part.size();
    boolean tooMany = local != null && !isListed(local, part);
    if (local != null && !tooMany) {
      local.addTo(union, true, except);
    }
    int unlisted = links.addTo(union, topic);
    int others = peers.addTo(union, topic);
    boolean isPartial = partial || links.isPartial(topic, leaf);
    if (unlisted > 0) { // the root has counted those of this cluster, too
      return new PresenceView(here + unlisted, null, isPartial);
    }
    unlisted = others + (tooMany ? here : 0);
    if (local != null && !tooMany) {
      local.addTo(union, false, except);
    }
    peers.addDeparted(union, topic);
    boolean listed = unlisted == 0 && union.size() <= options.members();
    List<PresenceMember> list = listed ? List.copyOf(union.values()) : null;
    return new PresenceView(union.size() + unlisted, list, isPartial);
  }

  private boolean isListed(LocalTopic local, LinkedMembers.Part part) {
    return local.unlisted() == part.unlisted() && local.size() - part.size() <= options.members();
  }

  /** Replaces the other nodes of the cluster. */
  void onView(List<?> others, long nowMs) {
    joining = false;
    peers.onView(others, nowMs);
    updatePartial();
  }

  /** Handles a message of another node. */
  void onMessage(Object from, byte[] message, long nowMs) throws IOException {
    peers.onMessage(from, message, nowMs);
    updatePartial();
  }

  private void updatePartial() {
    boolean now = joining || peers.isPartial();
    if (now != partial) {
      partial = now;
      links.onPartial();
    }
  }

  /** Returns whether {@link #onTick} has nothing to do until the next call of another method. */
  boolean isIdle() {
    return !joining
        && members.count() == 0
        && unsent.isEmpty()
        && peers.isEmpty()
        && links.isEmpty();
  }

  /** Ends grace times, and sends what is due. */
  void onTick(long nowMs) {
    members.expire(nowMs);
    replicate(nowMs);
    peers.onTick(nowMs);
    links.onTick(nowMs);
    updatePartial();
  }

  private void replicate(long nowMs) {
    boolean exceeded = false;
    for (Iterator<String> names = unsent.iterator(); names.hasNext(); ) {
      String name = names.next();
      LocalTopic topic = members.topic(name);
      if (topic != null && topic.lastSentMs() + options.intervalMs() <= nowMs) {
        topic.replicate(name, options.members(), peers.entries(), nowMs);
        if (topic.isUnused()) {
          members.forget(name);
        }
      }
      if (topic == null || !topic.isChanged()) {
        names.remove();
      } else {
        exceeded |= topic.isIncomplete();
      }
    }
    if (exceeded != incomplete) {
      incomplete = exceeded;
      peers.entries().put(PresenceKey.OWNER, new PresenceEntry.Owner(options.node(), exceeded));
    }
  }

  /** Announces to the other nodes that this node leaves. */
  void close() {
    links.close();
    peers.entries().leave();
  }
}
