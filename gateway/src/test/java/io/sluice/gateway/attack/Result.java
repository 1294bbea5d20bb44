package io.sluice.gateway.attack;

import java.util.ArrayList;
import java.util.List;

/**
 * Result of one attack. Immutable.
 *
 * @param unpaced whether attackers went as fast as the node let them
 * @param quiet what honest clients saw before
 * @param beginning what they saw when it had just begun
 * @param during what they saw after that, as long as it lasted
 * @param rest what they saw before all that and after it
 * @param newcomerMs how long one more client waited for its subscription under attack
 * @param outcomes how attackers' connections ended
 * @param counted how often the node counted it
 * @param open attackers' connections at the end
 * @param cores processors that the node used under attack
 * @param peakMib the most memory that the process had
 * @param before the node before it
 * @param held the node with the attackers still there, or null
 * @param after the node when they had gone
 * @param left connections, subscriptions and topics if they did not go back, or empty
 */
record Result(
    Attack attack,
    boolean unpaced,
    Windows quiet,
    Windows beginning,
    Windows during,
    Windows rest,
    double newcomerMs,
    String outcomes,
    double counted,
    int open,
    double cores,
    double peakMib,
    NodeResources before,
    NodeResources held,
    NodeResources after,
    String left) {
  private static final double MOST_RATIO = 3;
  private static final double HEAP_SLACK_MIB = 24;
  private static final double BUFFER_SLACK_MIB = 2;

  /** Returns whether a node has about the same memory in use as before. */
  static boolean isReturned(NodeResources before, NodeResources after) {
    return after.heapMib() <= before.heapMib() + HEAP_SLACK_MIB
        && after.buffersMib() <= before.buffersMib() + BUFFER_SLACK_MIB;
  }

  double ratio() {
    return during.p99() / quiet.p99();
  }

  long received() {
    return quiet.received() + beginning.received() + during.received() + rest.received();
  }

  long wrong() {
    return quiet.wrong() + beginning.wrong() + during.wrong() + rest.wrong();
  }

  /** Returns descriptions of all failures. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    if (wrong() > 0) {
      faults.add("honest clients lost, doubled or missed " + wrong());
    }
    if (!unpaced && ratio() > MOST_RATIO) {
      faults.add("p99 is %.1f times that of quiet".formatted(ratio()));
    }
    if (!left.isEmpty()) {
      faults.add("there stay " + left);
    }
    if (outcomes.contains(Attackers.LEAKED)) {
      faults.add("attackers received what they must not: " + outcomes);
    }
    if (after.heapMib() > before.heapMib() + HEAP_SLACK_MIB) {
      faults.add("the heap stays at %.0f MiB".formatted(after.heapMib()));
    }
    if (after.buffersMib() > before.buffersMib() + BUFFER_SLACK_MIB) {
      faults.add("buffers stay at %.1f MiB".formatted(after.buffersMib()));
    }
    if (attack.sample() != null && counted == 0) {
      faults.add("the node has not counted " + attack.sample());
    }
    return faults;
  }
}
