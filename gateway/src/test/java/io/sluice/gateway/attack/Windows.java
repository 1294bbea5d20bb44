package io.sluice.gateway.attack;

import java.util.List;

/** Readings of honest clients, one after the other. Immutable. */
record Windows(List<Reading> readings) {
  Windows {
    readings = List.copyOf(readings);
  }

  long received() {
    return readings.stream().mapToLong(Reading::received).sum();
  }

  /** Returns the number of lost, duplicate and gap messages, and of disconnected clients. */
  long wrong() {
    return readings.stream().mapToLong(r -> r.lost() + r.doubled() + r.told() + r.gone()).sum();
  }

  /** Returns the median of the windows' p50, in ms. */
  double p50() {
    return median(readings.stream().mapToDouble(Reading::p50).sorted().toArray());
  }

  /** Returns the median of the windows' p99, in ms. */
  double p99() {
    return median(readings.stream().mapToDouble(Reading::p99).sorted().toArray());
  }

  double max() {
    return readings.stream().mapToDouble(Reading::max).max().orElse(Double.NaN);
  }

  private static double median(double[] sorted) {
    return sorted[sorted.length / 2];
  }
}
