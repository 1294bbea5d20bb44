package io.sluice.gateway.hosts;

import java.util.List;

/**
 * Cost of nodes while the first ones formed a cluster, and each further one was alone. All had the
 * same number of clients and the same load. The last one is the witness, which is always alone.
 * Immutable.
 *
 * @param size size of the cluster
 * @param rates frames per second of each node
 * @param micros processor time per frame of each node
 * @param maxRates maximum frames per second of each node with limited processor time; empty without
 *     limits
 */
record ScaleRound(int size, List<Double> rates, List<Double> micros, List<Double> maxRates) {
  ScaleRound {
    rates = List.copyOf(rates);
    micros = List.copyOf(micros);
    maxRates = List.copyOf(maxRates);
  }
}
