package io.sluice.gateway.sim;

import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.hub.LateDelivery;
import io.sluice.gateway.membership.LateDeliveryExchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Network between the nodes, by which they announce messages bound at the send. At most one node at
 * a time is unreachable for the others; it continues to serve its clients.
 */
final class Announcements {
  private final Timeline timeline;
  private final Plan plan;
  private final Trace trace;
  private final List<Peer> peers = new ArrayList<>();
  private final List<Isolation> isolations = new ArrayList<>();

  /** Time until which a message takes from its delivery to the reports of all nodes. */
  private final long reported;

  /** A node from its start to its end. */
  private static final class Peer {
    private final String name;
    private final LateDeliveryExchange exchange;

    Peer(String name, LateDeliveryExchange exchange) {
      this.name = name;
      this.exchange = exchange;
    }
  }

  private record Isolation(String name, long fromMicros, long untilMicros) {}

  Announcements(Timeline timeline, Plan plan, Trace trace) {
    this.timeline = timeline;
    this.trace = trace;
    this.plan = plan;
    this.reported = LateBinding.reported(plan);
  }

  /** Adds a node that starts; returns what removes it. */
  Runnable join(String name, Hub hub, LongSupplier nowMs) {
    if (plan.binding.isNone()) {
      return () -> {};
    }
    Peer added =
        new Peer(
            name,
            new LateDeliveryExchange(
                hub.site().mark(),
                plan.config.get(HistorySettings.AGE).toMillis(),
                nowMs,
                hub::lateDeliveries));
    added.exchange.join((to, message) -> send(added, (Peer) to, message));
    hub.onLateDeliveries(late -> announce(added, late));
    peers.add(added);
    peers.forEach(this::update);
    return () -> {
      peers.remove(added);
      peers.forEach(this::update);
    };
  }

  private void announce(Peer from, List<LateDelivery> late) {
    boolean again = late.get(0).sentMs() == 0;
    Rule rule = again ? Rule.OVERDUE_IS_ANNOUNCED_AGAIN : Rule.LATE_DELIVERY_IS_REPORTED;
    if (!plan.breaks(rule)) {
      trace.note(from.name, () -> "announces " + late);
      from.exchange.announce(late);
    }
  }

  private void update(Peer peer) {
    peer.exchange.onView(peers.stream().filter(other -> other != peer).toList());
  }

  private void send(Peer from, Peer to, byte[] message) {
    timeline.after(plan.binding.latency(), () -> arrive(from, to, message));
  }

  private void arrive(Peer from, Peer to, byte[] message) {
    long at = Math.max(isolatedUntil(from.name), isolatedUntil(to.name));
    if (at > timeline.nowMicros()) {
      timeline.at(at, () -> send(from, to, message));
    } else if (peers.contains(to)) {
      receive(from, to, message);
    }
  }

  private static void receive(Peer from, Peer to, byte[] message) {
    try {
      to.exchange.onMessage(from, message);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long isolatedUntil(String name) {
    Isolation latest = latest();
    return latest == null || !latest.name.equals(name) ? 0 : latest.untilMicros;
  }

  private Isolation latest() {
    return isolations.isEmpty() ? null : isolations.get(isolations.size() - 1);
  }

  /** Makes a node unreachable, unless the earlier reports may not have arrived. */
  void isolate(SimulatedNode node) {
    Isolation before = latest();
    long now = timeline.nowMicros();
    boolean settled =
        before == null || now > before.untilMicros + 2 * reported + plan.marginMs() * Plan.MILLI;
    if (settled && node.acceptsClients()) {
      long until = now + plan.binding.isolation();
      isolations.add(new Isolation(node.name, now, until));
      trace.note(node.name, () -> "is unreachable for the other nodes until " + until);
    }
  }

  /** Returns whether a node must stay, because others may need its announcements. */
  boolean needs(SimulatedNode node) {
    long until = isolatedUntil(node.name);
    return until > 0 && timeline.nowMicros() < until + reported;
  }

  /** Returns whether an announcement may have been slower than nodes expect. */
  boolean haveBeenSlow() {
    return !isolations.isEmpty();
  }

  /** Returns the time by which all nodes have reported a message that was delivered at a time. */
  long reportedBy(long deliveredMicros) {
    for (Isolation each : isolations) {
      if (each.fromMicros < deliveredMicros + reported && each.untilMicros > deliveredMicros) {
        return Math.max(deliveredMicros, each.untilMicros) + 2 * reported;
      }
    }
    return deliveredMicros + reported;
  }
}
