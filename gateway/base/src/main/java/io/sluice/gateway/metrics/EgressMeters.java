package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sums of the frames that the event loops have sent to clients. Any thread. */
final class EgressMeters {
  private final List<EgressCounters> loops = new CopyOnWriteArrayList<>();

  EgressMeters(MeterRegistry registry) {
    FunctionCounter.builder("sluice.frames.out", this, EgressMeters::frames)
        .description("WebSocket frames sent to clients.")
        .register(registry);
    FunctionCounter.builder("sluice.frames.out.bytes", this, EgressMeters::bytes)
        .description("Bytes of WebSocket frames sent to clients, headers included.")
        .baseUnit("bytes")
        .register(registry);
  }

  /** Creates the counters of one more event loop, which are kept for the node's lifetime. */
  EgressCounters newCounters() {
    EgressCounters counters = new EgressCounters();
    loops.add(counters);
    return counters;
  }

  long frames() {
    return loops.stream().mapToLong(EgressCounters::frames).sum();
  }

  long bytes() {
    return loops.stream().mapToLong(EgressCounters::bytes).sum();
  }
}
