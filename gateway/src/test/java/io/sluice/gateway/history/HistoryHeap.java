package io.sluice.gateway.history;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;

/**
 * Program that fills the log of a pattern and compares its heap usage with {@code history.memory}
 * and with the bytes that the log accounts. docs/benchmarks/results.md contains the figures.
 */
final class HistoryHeap {
  private static final double MIB = 1 << 20;

  private HistoryHeap() {}

  public static void main(String[] args) {
    System.out.println("topics, messages, payload: limit, counted, heap retained (MiB)");
    measure(10_000, 20_000, 20_000); // newest values above the memory limit
    measure(100, 100_000, 2_000); // entries above the memory limit
    measure(100, 100_000, 64); // entries, below the limit
    measure(100_000, 200_000, 64); // newest values, below the limit
  }

  private static void measure(int topics, int messages, int payloadBytes) {
    Config config =
        Config.defaults()
            .with(HistorySettings.MESSAGES, topics < 1_000 ? messages : 1_000)
            .with(HistorySettings.KEYS, topics)
            .with(HistorySettings.BYTES, HistorySettings.MEMORY.defaultValue());
    Exposition exposition = new Exposition("history-heap");
    GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
    long limit = config.get(HistorySettings.MEMORY);
    Channel channel = new Channel(1, "topic", ">");
    long before = heap();
    TopicLog log = new TopicLog(1, null, LogLimits.of(config), new LogMemory(limit, metrics));
    for (int i = 0; i < messages; i++) {
      // As received from a broker: messages share no object.
      String topic = "benchmark.topic." + (100_000 + i % topics);
      log.append(
          new Message(topic, i, i, PayloadKind.TEXT, new byte[payloadBytes], null), channel, 1);
    }
    long used = heap() - before;
    double counted = exposition.registry().get("sluice.history.bytes").gauge().value();
    System.out.printf(
        "%,d, %,d, %,d: %.1f, %.1f, %.1f%n",
        topics, messages, payloadBytes, limit / MIB, counted / MIB, used / MIB);
    log.close(); // the log is reachable up to here
    metrics.close();
    exposition.close();
  }

  private static long heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
