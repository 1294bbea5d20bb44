package io.sluice.loadtest.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Workloads that others have measured with, so that figures can be compared. Stateless. */
final class Presets {
  private static final int KILOBYTE = 1024;
  private static final int[] SIZES = {100, 1_000, 10_000};

  private Presets() {}

  /**
   * Four workloads: texts of 1 KiB, persistent, one a transaction, topics with durable subscribers.
   */
  static List<BrokerWorkload> four() {
    return List.of(
        reliable("queue 1-1", Mode.QUEUE, 1, 1, 1),
        reliable("topic 1-1", Mode.TOPIC, 1, 1, 1),
        reliable("topic 1-5", Mode.TOPIC, 1, 1, 5),
        reliable("5 topics 5-5", Mode.TOPIC, 5, 5, 5));
  }

  /** Many producers and one consumer of a topic, for each of three sizes. */
  static List<BrokerWorkload> manyToOne(List<Integer> counts) {
    return each(counts, count -> size -> fast("topic " + count + "-1", count, 1, size));
  }

  /** One producer and many consumers of a topic, for each of three sizes. */
  static List<BrokerWorkload> oneToMany(List<Integer> counts) {
    return each(counts, count -> size -> fast("topic 1-" + count, 1, count, size));
  }

  private static List<BrokerWorkload> each(
      List<Integer> counts, Function<Integer, Function<Integer, BrokerWorkload>> workload) {
    List<BrokerWorkload> workloads = new ArrayList<>();
    for (int size : SIZES) {
      for (int count : counts) {
        workloads.add(workload.apply(count).apply(size));
      }
    }
    return workloads;
  }

  private static BrokerWorkload reliable(
      String name, Mode mode, int destinations, int producers, int consumers) {
    return new BrokerWorkload(
        name,
        mode,
        1,
        0,
        destinations,
        producers,
        consumers,
        1,
        4,
        MessageType.TEXT,
        KILOBYTE,
        0,
        mode == Mode.TOPIC,
        Acknowledge.AUTO,
        "");
  }

  private static BrokerWorkload fast(String name, int producers, int consumers, int size) {
    return new BrokerWorkload(
        name + ", " + size + " B",
        Mode.TOPIC,
        1,
        0,
        1,
        producers,
        consumers,
        0,
        4,
        MessageType.BYTES,
        size,
        0,
        false,
        Acknowledge.DUPS_OK,
        "");
  }
}
