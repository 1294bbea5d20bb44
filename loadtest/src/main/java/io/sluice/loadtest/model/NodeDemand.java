package io.sluice.loadtest.model;

import io.sluice.loadtest.statistics.Interval;
import java.util.function.DoubleUnaryOperator;

/**
 * Demand of a node for CPU, memory and network, by its number of clients. For one thread.
 *
 * @param encrypted whether clients use TLS
 */
record NodeDemand(PlanInputs inputs, NodeModel model, boolean encrypted) {
  private static final double TLS_RECORD_BYTES = 22;
  private static final double KIB = 1024;
  private static final double MIB = KIB * KIB;

  /** Resource that limits the clients of a node. */
  enum Resource {
    CONNECTIONS("limits.per-node.connections"),
    CPU("CPU"),
    MEMORY("memory"),
    NETWORK("network");

    private final String title;

    Resource(String title) {
      this.title = title;
    }

    @Override
    public String toString() {
      return title;
    }
  }

  /** Returns the CPU in cores with a number of clients, and additional frames per second. */
  Interval cores(double clients, double additionalFrames) {
    double frames = clients * inputs.get(PlanInput.RATE) + additionalFrames;
    double messages = inputs.get(PlanInput.BROKER_RATE);
    double compression =
        inputs.fraction(PlanInput.COMPRESSED) < 1
            ? messages * inputs.get(PlanInput.COMPRESSION_MICROS) / 1e6
            : 0;
    if (inputs.has(PlanInput.FRAME_MICROS)) {
      double cores = frames * inputs.get(PlanInput.FRAME_MICROS) / 1e6 + compression;
      return new Interval(cores, cores, cores, 0);
    }
    TransportMode mode = encrypted ? TransportMode.TLS : TransportMode.PLAIN;
    Interval cores = model.cores(new NodeLoad(mode, messages, frames));
    return new Interval(
        cores.estimate() + compression,
        cores.low() + compression,
        cores.high() + compression,
        cores.samples());
  }

  private double frameBytes() {
    return inputs.get(PlanInput.FRAME_BYTES) * inputs.fraction(PlanInput.COMPRESSED);
  }

  /** Returns the memory in GiB, of the process and the kernel. */
  double memory(double clients) {
    double perClient =
        inputs.get(PlanInput.CLIENT_KIB)
            + inputs.get(PlanInput.SOCKET_KIB)
            + inputs.fraction(PlanInput.SLOW) * inputs.get(PlanInput.PENDING_KIB);
    double fixed = inputs.get(PlanInput.BASE_MIB) + inputs.get(PlanInput.HISTORY_MIB);
    return (fixed * MIB + clients * perClient * KIB) / MIB / KIB;
  }

  /** Returns the network traffic to the clients in Gb/s. */
  double network(double clients) {
    double bytes =
        frameBytes() + inputs.get(PlanInput.PACKET_BYTES) + (encrypted ? TLS_RECORD_BYTES : 0);
    return clients * inputs.get(PlanInput.RATE) * bytes * 8 / 1e9;
  }

  /** Returns the largest number of clients that a resource permits, within the headroom. */
  double clients(Resource resource) {
    return switch (resource) {
      case CONNECTIONS -> inputs.get(PlanInput.CONNECTIONS);
      case CPU -> clients(PlanInput.CORES, clients -> cores(clients, 0).high());
      case MEMORY -> clients(PlanInput.MEMORY, this::memory);
      case NETWORK -> clients(PlanInput.NETWORK, this::network);
    };
  }

  /** Returns the largest number of clients whose demand does not exceed a resource, or 0. */
  private double clients(PlanInput resource, DoubleUnaryOperator demand) {
    double low = 0;
    double high = inputs.get(PlanInput.CONNECTIONS) + 1;
    while (high - low > 1) {
      double middle = Math.floor((low + high) / 2);
      if (demand.applyAsDouble(middle) <= inputs.usable(resource)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
