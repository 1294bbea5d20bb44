package io.sluice.loadtest.broker.workload;

import io.sluice.loadtest.broker.price.PriceFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Predefined sets of workloads, for some of which other projects have published figures. Immutable,
 * for any thread.
 */
public enum Preset {
  /** Transacted sends to a queue and to topics with durable subscribers; persistent or not. */
  TRANSACTED(Persistence.Choice.BOTH) {
    @Override
    public List<BrokerWorkload> workloads(List<Integer> counts) {
      return transacted();
    }
  },
  /** Many producers, one consumer. */
  MANY_TO_ONE(Persistence.Choice.NON_PERSISTENT) {
    @Override
    public List<BrokerWorkload> workloads(List<Integer> counts) {
      return manyToOne(counts);
    }
  },
  /** One producer, many consumers. */
  ONE_TO_MANY(Persistence.Choice.NON_PERSISTENT) {
    @Override
    public List<BrokerWorkload> workloads(List<Integer> counts) {
      return oneToMany(counts);
    }
  },
  /** Requests with replies on temporary queues: many requesters, one replier. */
  REQUEST_REPLY(Persistence.Choice.NON_PERSISTENT) {
    @Override
    public List<BrokerWorkload> workloads(List<Integer> counts) {
      return counts.stream().map(Preset::requests).toList();
    }
  },
  /** Typed price updates as objects and in a compact encoding, and bytes of the same size. */
  PRICES(Persistence.Choice.BOTH) {
    @Override
    public List<BrokerWorkload> workloads(List<Integer> counts) {
      return List.of(
          prices("object", MessageType.OBJECT),
          prices("price", MessageType.PRICE),
          prices("bytes", MessageType.BYTES));
    }
  },
  /** Brokers with different journals, and the disk. */
  JOURNAL(Persistence.Choice.PERSISTENT) {
    @Override
    public List<BrokerWorkload> workloads(List<Integer> counts) {
      return List.of(BrokerWorkload.plain());
    }
  },
  /** Only the disk. */
  DISK(Persistence.Choice.PERSISTENT) {
    @Override
    public List<BrokerWorkload> workloads(List<Integer> counts) {
      return List.of();
    }
  };

  private static final int KILOBYTE = 1024;
  private static final int PRICE_BYTES = 256;
  private static final int[] SIZES = {100, 1_000, 10_000};

  private final Persistence.Choice delivery;

  Preset(Persistence.Choice delivery) {
    this.delivery = delivery;
  }

  /**
   * Returns the workloads.
   *
   * @param counts numbers of producers or consumers for the presets with many of them
   */
  public abstract List<BrokerWorkload> workloads(List<Integer> counts);

  /** Returns the default delivery modes. */
  public Persistence.Choice delivery() {
    return delivery;
  }

  /** Returns whether a folder on a disk is required. */
  public boolean needsFolder() {
    return this == JOURNAL || this == DISK;
  }

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return OptionName.of(this);
  }

  /**
   * Returns four workloads of 1 KiB text messages. Each message is sent in its own transaction;
   * subscriptions to topics are durable.
   */
  private static List<BrokerWorkload> transacted() {
    return List.of(
        reliable("queue 1-1", Mode.QUEUE, 1, 1, 1),
        reliable("topic 1-1", Mode.TOPIC, 1, 1, 1),
        reliable("topic 1-5", Mode.TOPIC, 1, 1, 5),
        reliable("5 topics 5-5", Mode.TOPIC, 5, 5, 5));
  }

  /** Returns workloads with many producers and one consumer of a topic, for each of three sizes. */
  private static List<BrokerWorkload> manyToOne(List<Integer> counts) {
    return each(counts, count -> size -> fast("topic " + count + "-1", count, 1, size));
  }

  /** Returns workloads with one producer and many consumers of a topic, for each of three sizes. */
  private static List<BrokerWorkload> oneToMany(List<Integer> counts) {
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
        "",
        false,
        PriceFiles.NONE);
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
        "",
        false,
        PriceFiles.NONE);
  }

  private static BrokerWorkload requests(int requesters) {
    return new BrokerWorkload(
        "requests, " + requesters + " requesters",
        Mode.QUEUE,
        1,
        0,
        1,
        requesters,
        1,
        0,
        4,
        MessageType.TEXT,
        KILOBYTE,
        0,
        false,
        Acknowledge.AUTO,
        "",
        true,
        PriceFiles.NONE);
  }

  private static BrokerWorkload prices(String name, MessageType type) {
    return new BrokerWorkload(
        "prices, " + name,
        Mode.TOPIC,
        1,
        0,
        1,
        1,
        1,
        0,
        4,
        type,
        PRICE_BYTES,
        0,
        false,
        Acknowledge.AUTO,
        "",
        false,
        PriceFiles.NONE);
  }
}
