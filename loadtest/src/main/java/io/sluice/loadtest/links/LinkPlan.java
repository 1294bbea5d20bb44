package io.sluice.loadtest.links;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Parameters of a benchmark of links. Immutable, for any thread.
 *
 * @param launcher executable of the gateway, {@code bin/sluice} of its archive
 * @param multicast whether runs with links over TCP precede others with a multicast group
 * @param bytes sizes of messages
 * @param peers numbers of publishers or subscribers
 * @param rate messages per second while latency is measured
 * @param warmUpMessages messages that a subscriber receives before the first run
 * @param warmUp duration excluded from the figures
 * @param duration measured duration, of throughput and of latency
 * @param patience time without messages after which missing messages are lost
 * @param runs number of runs
 */
public record LinkPlan(
    Path launcher,
    boolean multicast,
    List<LinkScenario> scenarios,
    List<Integer> bytes,
    List<Integer> peers,
    int rate,
    int warmUpMessages,
    Duration warmUp,
    Duration duration,
    Duration patience,
    int runs) {

  /** Creates a plan of valid values. */
  public LinkPlan {
    scenarios = List.copyOf(scenarios);
    bytes = List.copyOf(bytes);
    peers = List.copyOf(peers);
  }

  /** Returns whether roots have a multicast group, for each transport in turn. */
  List<Boolean> multicasts() {
    return multicast ? List.of(false, true) : List.of(false);
  }
}
