package io.sluice.loadtest.links;

import io.sluice.loadtest.broker.workload.OptionName;
import java.util.List;

/**
 * Arrangement of publishers, nodes and subscribers, for which a paper about reliable multicast has
 * published figures (1 GbE, 2005). Immutable, for any thread.
 */
public enum LinkScenario {
  /** Many publishers, one subscriber. */
  N_TO_1("N publishers, broker, root, leaf, one subscriber", List.of("root", "leaf")) {
    @Override
    String paper(int bytes) {
      return "75, 91 MB/s";
    }

    @Override
    List<Integer> paperMegabytes() {
      return List.of(75, 91);
    }
  },
  /** One publisher, many leaves. */
  ONE_TO_N("publisher, broker, root, N leaves with one subscriber each", List.of("root", "leaf")) {
    @Override
    String paper(int bytes) {
      return bytes == SMALL ? "550,000/s" : "69–80 MB/s";
    }

    @Override
    List<Integer> paperMegabytes() {
      return List.of(69, 80);
    }
  },
  /** Two nodes in a row. */
  ONE_BRIDGE("publisher, broker, root, leaf, N subscribers", List.of("root", "leaf")) {
    @Override
    String paper(int bytes) {
      return bytes == MEDIUM ? "45 MB/s" : "–";
    }
  },
  /** Three nodes in a row. */
  TWO_BRIDGES(
      "publisher, broker, root, relay, leaf, N subscribers", List.of("root", "relay", "leaf")) {
    @Override
    String paper(int bytes) {
      return bytes == MEDIUM ? "below 45 MB/s" : "–";
    }
  };

  private static final int SMALL = 100;
  private static final int MEDIUM = 1_000;

  private final String description;
  private final List<String> tiers;

  LinkScenario(String description, List<String> tiers) {
    this.description = description;
    this.tiers = tiers;
  }

  /** Returns the paper's figures for messages of a size, or a dash. */
  abstract String paper(int bytes);

  /** Returns the paper's throughput, or its range, in MB/s. */
  List<Integer> paperMegabytes() {
    return List.of(45);
  }

  /** Returns the processes in the direction of messages. */
  String description() {
    return description;
  }

  /** Returns the names of the tiers of nodes, the one with the broker first. */
  List<String> tiers() {
    return tiers;
  }

  int publishers(int peers) {
    return this == N_TO_1 ? peers : 1;
  }

  /** Returns the number of nodes in the last tier. */
  int leaves(int peers) {
    return this == ONE_TO_N ? peers : 1;
  }

  int subscribers(int peers) {
    return this == N_TO_1 ? 1 : peers;
  }

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return OptionName.of(this).replace("one-to-n", "1-to-n");
  }
}
