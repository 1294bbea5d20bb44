package io.sluice.loadtest.model;

/**
 * Input of a plan by the model, each with the option that overrides it. Immutable, for any thread.
 */
public enum PlanInput {
  RATE("messages per client", "/s", "--rate", 10),
  PAYLOAD("payload of a message", "B", "--size", 512),
  TOPICS("topics", "", "--topics", 100),
  COMPRESSED("size after compression", "%", "--compressed", 100),
  CORES("cores of a node", "", "--cores", 4),
  MEMORY("memory of a node", "GiB", "--memory", 8),
  NETWORK("network of a node", "Gb/s", "--network", 10),
  HEADROOM("reserved part of cores, memory and network", "%", "--headroom", 40),
  CONNECTIONS("limit of clients per node", "", "--connections", 100_000),
  SPARE("nodes that may fail", "", "--spare", 1),
  SITES("sites, one of which may fail if there are several", "", "--sites", 1),
  HANDSHAKES("handshakes per node", "/s", "--handshake-rate", 2000),
  BACKOFF("time over which clients spread their first reconnect", "s", "--backoff-seconds", 0.5),
  DETECTION("time until clients detect the loss of a site", "s", "--detection-seconds", 50),
  HANDSHAKE_MICROS("CPU of a handshake", "µs", "--handshake-micros"),
  COMPRESSION_MICROS("CPU of compression per message", "µs", "--compression-micros", 8),
  FRAME_MICROS("CPU of a frame", "µs", "--frame-micros"),
  FRAME_BYTES("bytes of a frame without compression", "B", "--client-bytes"),
  PACKET_BYTES("bytes of TCP, IP and Ethernet per frame", "B", "--packet-bytes", 70),
  BASE_MIB("memory of a node without clients", "MiB", "--base-mib", 200),
  CLIENT_KIB("memory of the process per client", "KiB", "--client-kib"),
  SOCKET_KIB("memory of the kernel per client", "KiB", "--socket-kib", 5),
  HISTORY_MIB("memory of logs (history.memory)", "MiB", "--history-mib", 64),
  SLOW("clients that are slow at the same time", "%", "--slow", 1),
  PENDING_KIB(
      "pending messages of a slow client (limits.pending-bytes)", "KiB", "--pending-kib", 1024),
  BROKER_RATE("messages from the broker to each node", "/s", "--broker-rate"),
  BROKER_BYTES("message from the broker", "B", "--broker-bytes"),
  BROKER_MICROS("CPU of the broker per delivery to a node", "µs", "--broker-micros", 50),
  BROKER_CORES("cores of the broker", "", "--broker-cores", 8),
  PRICE("price of a node per hour", "", "--price");

  private final String title;
  private final String unit;
  private final String option;
  private final double defaultValue;

  PlanInput(String title, String unit, String option) {
    this(title, unit, option, Double.NaN);
  }

  PlanInput(String title, String unit, String option, double defaultValue) {
    this.title = title;
    this.unit = unit;
    this.option = option;
    this.defaultValue = defaultValue;
  }

  String title() {
    return title;
  }

  String unit() {
    return unit;
  }

  /** Returns the option that overrides the value. */
  public String option() {
    return option;
  }

  /** Returns the value without the option, or NaN if it is measured, derived or required. */
  double defaultValue() {
    return defaultValue;
  }
}
