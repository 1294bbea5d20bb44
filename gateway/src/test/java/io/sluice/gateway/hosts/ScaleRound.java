package io.sluice.gateway.hosts;

import java.util.List;

/**
 * What so many nodes have cost, each with as many clients and as much to send. Immutable.
 *
 * @param rates frames a second of each node
 * @param micros processor time a frame of each node
 * @param most frames a second of each node where its processor time is limited and more comes than
 *     it can send; empty if nobody limits it
 */
record ScaleRound(List<Double> rates, List<Double> micros, List<Double> most) {
  ScaleRound {
    rates = List.copyOf(rates);
    micros = List.copyOf(micros);
    most = List.copyOf(most);
  }

  int nodes() {
    return micros.size();
  }
}
