package io.sluice.gateway.hosts;

import java.util.ArrayList;
import java.util.List;

/**
 * One host: a network namespace. Immutable.
 *
 * @param number the last part of its addresses
 */
record Host(String name, int number) {
  /** Where its address on a network begins; where clients, nodes, broker and balancer meet. */
  static final String FRONT = "10.77.0.";

  /** The network that only nodes are on. */
  static final String BACK = "10.78.0.";

  /** Where everybody reaches it. */
  String front() {
    return FRONT + number;
  }

  /** Where other nodes reach it. */
  String back() {
    return BACK + number;
  }

  /** What runs a program there. */
  List<String> launcher() {
    return List.of("nsenter", "--net=" + Network.FOLDER.resolve(name), "--");
  }

  /** Runs a program there that ends by itself, and returns what it has said. */
  String run(String... command) {
    List<String> all = new ArrayList<>(launcher());
    all.addAll(List.of(command));
    return Command.run(all);
  }
}
