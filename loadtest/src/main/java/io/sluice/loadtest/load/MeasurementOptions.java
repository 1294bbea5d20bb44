package io.sluice.loadtest.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Options of a measurement. Immutable, for any thread.
 *
 * @param clients number of clients that record the latency of every message
 * @param warmUp time after all clients are subscribed that is excluded from the figures
 * @param seed of the random selection of these clients
 * @param server process of the server on this machine, whose CPU time and memory are read; null for
 *     none
 */
public record MeasurementOptions(int clients, Duration warmUp, long seed, ProcessHandle server) {
  /** Returns the numbers of the selected clients, each with the same probability. */
  Set<Integer> sample(int first, int all) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < all; i++) {
      numbers.add(first + i);
    }
    Collections.shuffle(numbers, new Random(seed));
    return new HashSet<>(numbers.subList(0, Math.min(clients, all)));
  }
}
