package io.sluice.gateway.hosts;

import java.util.List;

/**
 * What nodes have cost while the first few of them were a cluster, and each further one was alone;
 * each with as many clients and as much to send. The last one is the witness, which is always
 * alone. Immutable.
 *
 * @param size of the cluster
 * @param rates frames a second of each node
 * @param micros processor time a frame of each node
 * @param most frames a second of each node where its processor time is limited and more comes than
 *     it can send; empty if nobody limits it
 */
record ScaleRound(int size, List<Double> rates, List<Double> micros, List<Double> most) {
  ScaleRound {
    rates = List.copyOf(rates);
    micros = List.copyOf(micros);
    most = List.copyOf(most);
  }
}
