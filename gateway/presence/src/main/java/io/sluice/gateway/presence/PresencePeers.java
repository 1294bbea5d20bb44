package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Other nodes: copies of their members, and nodes that are lost. Bound to the presence thread. */
final class PresencePeers {
  /** Maximum number of lost nodes that are remembered. */
  private static final int MAX_LOST = 256;

  private final PresenceOptions options;
  private final Consumer<String> changes;
  private final Consumer<Object> requests;
  private final Map<Object, PresenceCopy> copies = new LinkedHashMap<>();

  /** Copies of nodes that have left the view. */
  private final List<Departed> departed = new ArrayList<>();

  /** Names of nodes that have disappeared, with the time at which they are forgotten. */
  private final Map<String, Long> lost = new HashMap<>();

  /**
   * Copy of a node that has left the view.
   *
   * @param untilMs end of the grace time of its members
   */
  private record Departed(Object peer, PresenceCopy copy, long untilMs) {}

  /**
   * @param changes receives topics whose members may have changed
   * @param requests receives nodes whose state is required
   */
  PresencePeers(PresenceOptions options, Consumer<String> changes, Consumer<Object> requests) {
    this.options = options;
    this.changes = changes;
    this.requests = requests;
  }

  /** Returns the other nodes of the view. */
  Set<Object> all() {
    return copies.keySet();
  }

  /** Returns whether there is no other node, present, departed or lost. */
  boolean isEmpty() {
    return copies.isEmpty() && departed.isEmpty() && lost.isEmpty();
  }

  /** Returns whether a node's members may be missing. */
  boolean isPartial() {
    return !lost.isEmpty() || copies.values().stream().anyMatch(copy -> !copy.isCurrent());
  }

  /**
   * Replaces the view.
   *
   * @return the nodes that were not in the previous view
   */
  List<Object> onView(List<?> peers, long nowMs) {
    for (Object peer : List.copyOf(copies.keySet())) {
      if (!peers.contains(peer)) {
        onGone(peer, copies.remove(peer), nowMs);
      }
    }
    List<Object> newcomers = new ArrayList<>();
    for (Object peer : peers) {
      if (!copies.containsKey(peer)) {
        Runnable request = () -> requests.accept(peer);
        copies.put(peer, new PresenceCopy(options, changes, request, nowMs));
        lost.remove(String.valueOf(peer));
        newcomers.add(peer);
      }
    }
    return newcomers;
  }

  private void onGone(Object peer, PresenceCopy copy, long nowMs) {
    if (!copy.isLeaving() && lost.size() < MAX_LOST) {
      String name = copy.node().isEmpty() ? String.valueOf(peer) : copy.node();
      lost.put(name, nowMs + options.lostMs());
    }
    copy.onOwnerLost();
    departed.add(new Departed(peer, copy, nowMs + options.absenceMs()));
  }

  /** Handles a message of a node; it is ignored if the node is not in the view. */
  void onMessage(Object from, PresenceMessage message, long nowMs) {
    PresenceCopy copy = copies.get(from);
    if (copy == null) {
      return;
    }
    if (message instanceof PresenceMessage.Change change) {
      copy.onChange(change, nowMs);
    } else if (message instanceof PresenceMessage.State state) {
      copy.onState(state, nowMs);
    } else if (message instanceof PresenceMessage.Farewell) {
      copy.onFarewell();
    }
    lost.remove(copy.node());
    if (copy.isCurrent()) {
      discard(from);
    }
  }

  /** Discards the earlier copy of a node that has returned. */
  private void discard(Object peer) {
    departed.removeIf(
        former -> {
          if (former.peer().equals(peer)) {
            former.copy().discard();
          }
          return former.peer().equals(peer);
        });
  }

  void onTick(long nowMs) {
    copies.values().forEach(copy -> copy.onTick(nowMs));
    lost.values().removeIf(untilMs -> untilMs <= nowMs);
    departed.removeIf(
        former -> {
          if (former.untilMs() <= nowMs) {
            former.copy().discard();
          }
          return former.untilMs() <= nowMs;
        });
  }

  /** Adds the members of a topic. Returns the number of those that are not listed. */
  int addTo(Map<String, PresenceMember> members, String topic) {
    int unlisted = 0;
    for (PresenceCopy copy : copies.values()) {
      unlisted += copy.addTo(members, topic);
    }
    return unlisted;
  }

  /** Adds the members of a topic at nodes that have left the view. */
  void addDeparted(Map<String, PresenceMember> members, String topic) {
    departed.forEach(former -> former.copy().addTo(members, topic));
  }
}
