package io.sluice.gateway.hosts;

import java.util.ArrayList;
import java.util.List;

/**
 * Host: a network namespace. Immutable.
 *
 * @param number the last part of its addresses
 */
record Host(String name, int number) {
  /** Prefix of addresses in the network of clients, nodes, broker and balancer. */
  static final String FRONT = "10.77.0.";

  /** Prefix of addresses in the network of nodes only. */
  static final String BACK = "10.78.0.";

  /** Returns the address for all hosts. */
  String front() {
    return FRONT + number;
  }

  /** Returns the address for other nodes. */
  String back() {
    return BACK + number;
  }

  /** Returns the command prefix that runs a program on this host. */
  List<String> launcher() {
    return List.of("nsenter", "--net=" + Network.FOLDER.resolve(name), "--");
  }

  /** Runs a short-lived program on this host. Returns its output. */
  String run(String... command) {
    List<String> all = new ArrayList<>(launcher());
    all.addAll(List.of(command));
    return Command.run(all);
  }
}
