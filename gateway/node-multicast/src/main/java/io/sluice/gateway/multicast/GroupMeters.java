package io.sluice.gateway.multicast;

import io.sluice.gateway.metrics.MeterBuilder;
import java.util.concurrent.atomic.LongAdder;

/** Meters of multicast between nodes. Any thread. */
public final class GroupMeters {
  private final LongAdder sent;
  private final LongAdder sentOverLinks;
  private final LongAdder received;
  private final LongAdder repairs;
  private final LongAdder fallbacks;
  private final LongAdder forged;
  private final LongAdder members;

  /** Registers the meters. */
  public GroupMeters(MeterBuilder meters) {
    sent =
        meters.counter(
            "sluice.link.multicast.sent", "Messages sent to this node's group, once each.");
    sentOverLinks =
        meters.counter(
            "sluice.link.multicast.sent.over.links",
            "Messages that this node, although it has a group, sent over the link of one leaf.");
    received =
        meters.counter(
            "sluice.link.multicast.received", "Messages that arrived by multicast, in order.");
    repairs =
        meters.counter(
            "sluice.link.multicast.repairs",
            "Requests of leaves to continue a topic over their links.");
    fallbacks =
        meters.counter(
            "sluice.link.multicast.fallbacks", "Times that a leaf has left the group of its root.");
    forged =
        meters.counter(
            "sluice.link.multicast.rejected", "Multicast frames that were not of the root.");
    members =
        meters.gauge("sluice.link.multicast.members", "Leaves that receive this node's group.");
  }

  void sent() {
    sent.increment();
  }

  void sentOverLink() {
    sentOverLinks.increment();
  }

  void received(int count) {
    received.add(count);
  }

  void repair() {
    repairs.increment();
  }

  void fallback() {
    fallbacks.increment();
  }

  void forged() {
    forged.increment();
  }

  void members(int change) {
    members.add(change);
  }
}
