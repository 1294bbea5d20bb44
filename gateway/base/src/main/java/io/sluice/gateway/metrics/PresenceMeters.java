package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** Meters of presence. Any thread. */
public final class PresenceMeters {
  private final LongAdder published;
  private final LongAdder conflated;
  private final LongAdder rejected;
  private final LongAdder messages;
  private final LongAdder bytes;
  private final LongAdder stateRequests;
  private volatile int members;

  PresenceMeters(MeterRegistry registry) {
    Gauge.builder("sluice.presence.members", this, meters -> meters.members)
        .strongReference(true)
        .description("Members of topics at this node, including those in their grace time.")
        .register(registry);
    published =
        counter(registry, "published", "States of topics published to clients of this node.");
    conflated =
        counter(
            registry,
            "conflated",
            "Changes that a lagging client did not receive; the newest state follows.");
    rejected =
        counter(registry, "rejected", "Requests rejected because too many wait for presence.");
    messages = counter(registry, "messages", "Messages with presence sent to other nodes.");
    bytes = new LongAdder();
    FunctionCounter.builder("sluice.presence.messages.bytes", bytes, LongAdder::sum)
        .baseUnit("bytes")
        .description("Bytes of messages with presence sent to other nodes.")
        .register(registry);
    stateRequests =
        counter(
            registry,
            "state.requests",
            "Requests of other nodes for all members of this node: after a join or a lost message.");
  }

  private static LongAdder counter(MeterRegistry registry, String name, String description) {
    LongAdder adder = new LongAdder();
    FunctionCounter.builder("sluice.presence." + name, adder, LongAdder::sum)
        .description(description)
        .register(registry);
    return adder;
  }

  /** Sets the number of members at this node. */
  public void members(int count) {
    members = count;
  }

  public void published() {
    published.increment();
  }

  public void conflated() {
    conflated.increment();
  }

  public void rejected() {
    rejected.increment();
  }

  /** Counts a message to another node. */
  public void sent(int size) {
    messages.increment();
    bytes.add(size);
  }

  public void stateRequested() {
    stateRequests.increment();
  }
}
