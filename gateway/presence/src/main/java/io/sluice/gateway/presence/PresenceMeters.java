package io.sluice.gateway.presence;

import io.sluice.gateway.metrics.MeterBuilder;
import java.util.concurrent.atomic.LongAdder;

/** Meters of presence. Any thread. */
public final class PresenceMeters {
  final LongAdder published;
  final LongAdder conflated;
  final LongAdder rejected;
  private final LongAdder messages;
  private final LongAdder bytes;
  final LongAdder stateRequests;
  private volatile int members;

  /** Registers the meters. */
  public PresenceMeters(MeterBuilder meters) {
    meters.gauge(
        "sluice.presence.members",
        "Members of topics at this node, including those in their grace time.",
        null,
        () -> members);
    published =
        meters.counter(
            "sluice.presence.published", "States of topics published to clients of this node.");
    conflated =
        meters.counter(
            "sluice.presence.conflated",
            "Changes that a lagging client did not receive; the newest state follows.");
    rejected =
        meters.counter(
            "sluice.presence.rejected", "Requests rejected because too many wait for presence.");
    messages =
        meters.counter("sluice.presence.messages", "Messages with presence sent to other nodes.");
    bytes =
        meters.bytes(
            "sluice.presence.messages", "Bytes of messages with presence sent to other nodes.");
    stateRequests =
        meters.counter(
            "sluice.presence.state.requests",
            "Requests of other nodes for all members of this node: after a join or a lost message.");
  }

  /** Sets the number of members at this node. */
  void members(int count) {
    members = count;
  }

  /** Counts a message to another node. */
  void sent(int size) {
    messages.increment();
    bytes.add(size);
  }
}
