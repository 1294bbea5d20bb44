package io.sluice.loadtest.cli;

import io.sluice.loadtest.model.PlanInput;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * Options of {@code plan} that only the model uses; null if absent. Used by the main thread only.
 */
final class PlanModelOptions {
  @Option(
      names = "--runs",
      paramLabel = "FILE.csv",
      description =
          "Recorded runs to fit the model to and to validate it (default: recorded runs of Sluice).")
  Path runs;

  @Option(names = "--tls", description = "Clients connect by TLS.")
  boolean tls;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = "Cores of a node (default: 4). CPU is assumed to scale with them.")
  private Double cores;

  @Option(names = "--memory", paramLabel = "GIB", description = "Memory of a node (default: 8).")
  private Double memory;

  @Option(
      names = "--network",
      paramLabel = "GBITS",
      description = "Network of a node in Gb/s (default: 10).")
  private Double network;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "limits.per-node.connections (default: 100000).")
  private Double connections;

  @Option(
      names = "--sites",
      paramLabel = "N",
      description =
          "Number of sites. With several, the others serve all clients without one (default: 1).")
  private Double sites;

  @Option(
      names = "--handshake-rate",
      paramLabel = "N",
      description =
          "Handshakes per second that a node accepts, such as limits.per-node.handshake-rate"
              + " (default: 2000).")
  private Double handshakeRate;

  @Option(
      names = "--backoff-seconds",
      paramLabel = "SECONDS",
      description = "Time over which clients spread their first reconnect (default: 0.5).")
  private Double backoffSeconds;

  @Option(
      names = "--detection-seconds",
      paramLabel = "SECONDS",
      description =
          "Time until clients detect the loss of a site, two ping intervals (default: 50).")
  private Double detectionSeconds;

  @Option(
      names = "--handshake-micros",
      paramLabel = "MICROS",
      description =
          "CPU of a handshake with its subscription (default: 100; 1000 with TLS, not measured).")
  private Double handshakeMicros;

  @Option(
      names = "--frame-micros",
      paramLabel = "MICROS",
      description = "CPU of a frame, instead of the model's CPU (default: by the model).")
  private Double frameMicros;

  @Option(
      names = "--packet-bytes",
      paramLabel = "BYTES",
      description = "Bytes of TCP, IP and Ethernet per frame (default: 70).")
  private Double packetBytes;

  @Option(
      names = "--base-mib",
      paramLabel = "MIB",
      description = "Memory of a node's process without clients (default: 200).")
  private Double baseMib;

  @Option(
      names = "--client-kib",
      paramLabel = "KIB",
      description = "Memory of the process per client (default: 1.2; 40 with TLS, not measured).")
  private Double clientKib;

  @Option(
      names = "--socket-kib",
      paramLabel = "KIB",
      description = "Memory of the kernel per client (default: 5).")
  private Double socketKib;

  @Option(
      names = "--history-mib",
      paramLabel = "MIB",
      description = "history.memory (default: 64).")
  private Double historyMib;

  @Option(
      names = "--slow",
      paramLabel = "PERCENT",
      description = "Clients that are slow at the same time (default: 1).")
  private Double slow;

  @Option(
      names = "--pending-kib",
      paramLabel = "KIB",
      description = "Pending messages of a slow client, limits.pending-bytes (default: 1024).")
  private Double pendingKib;

  @Option(
      names = "--broker-micros",
      paramLabel = "MICROS",
      description = "CPU of the broker per delivery to a node (default: 50, not measured).")
  private Double brokerMicros;

  @Option(
      names = "--broker-cores",
      paramLabel = "N",
      description = "Cores of the broker (default: 8).")
  private Double brokerCores;

  @Option(
      names = "--price",
      paramLabel = "AMOUNT",
      description = "Price of a node per hour, for the cost of all nodes (default: no cost).")
  private Double price;

  /** Returns the given values. */
  Map<PlanInput, Double> given() {
    Map<PlanInput, Double> given = new EnumMap<>(PlanInput.class);
    put(given, PlanInput.CORES, cores);
    put(given, PlanInput.MEMORY, memory);
    put(given, PlanInput.NETWORK, network);
    put(given, PlanInput.CONNECTIONS, connections);
    put(given, PlanInput.SITES, sites);
    put(given, PlanInput.HANDSHAKES, handshakeRate);
    put(given, PlanInput.BACKOFF, backoffSeconds);
    put(given, PlanInput.DETECTION, detectionSeconds);
    put(given, PlanInput.HANDSHAKE_MICROS, handshakeMicros);
    put(given, PlanInput.FRAME_MICROS, frameMicros);
    put(given, PlanInput.PACKET_BYTES, packetBytes);
    put(given, PlanInput.BASE_MIB, baseMib);
    put(given, PlanInput.CLIENT_KIB, clientKib);
    put(given, PlanInput.SOCKET_KIB, socketKib);
    put(given, PlanInput.HISTORY_MIB, historyMib);
    put(given, PlanInput.SLOW, slow);
    put(given, PlanInput.PENDING_KIB, pendingKib);
    put(given, PlanInput.BROKER_MICROS, brokerMicros);
    put(given, PlanInput.BROKER_CORES, brokerCores);
    put(given, PlanInput.PRICE, price);
    return given;
  }

  /** Adds a value, unless it is null. */
  static void put(Map<PlanInput, Double> values, PlanInput input, Double value) {
    if (value != null) {
      values.put(input, value);
    }
  }

  /** Returns the name of a given option, or null if none is given. */
  String firstGiven() {
    if (runs != null) {
      return "--runs";
    }
    return tls
        ? "--tls"
        : given().keySet().stream().map(PlanInput::option).findFirst().orElse(null);
  }
}
