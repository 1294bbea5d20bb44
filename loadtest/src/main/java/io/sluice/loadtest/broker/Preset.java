package io.sluice.loadtest.broker;

import java.util.List;

/** What is measured, where it is not one workload of one's own. */
public enum Preset {
  /** A queue and three kinds of topics: small, reliable messages. */
  FOUR(Persistence.Choice.BOTH) {
    @Override
    List<BrokerWorkload> workloads(List<Integer> counts) {
      return Presets.four();
    }
  },
  /** Many producers, one consumer. */
  MANY_TO_ONE(Persistence.Choice.NON_PERSISTENT) {
    @Override
    List<BrokerWorkload> workloads(List<Integer> counts) {
      return Presets.manyToOne(counts);
    }
  },
  /** One producer, many consumers. */
  ONE_TO_MANY(Persistence.Choice.NON_PERSISTENT) {
    @Override
    List<BrokerWorkload> workloads(List<Integer> counts) {
      return Presets.oneToMany(counts);
    }
  },
  /** Brokers with different journals, beside the disk. */
  JOURNAL(Persistence.Choice.PERSISTENT) {
    @Override
    List<BrokerWorkload> workloads(List<Integer> counts) {
      return List.of(BrokerWorkload.plain());
    }
  },
  /** The disk alone. */
  DISK(Persistence.Choice.PERSISTENT) {
    @Override
    List<BrokerWorkload> workloads(List<Integer> counts) {
      return List.of();
    }
  };

  private final Persistence.Choice delivery;

  Preset(Persistence.Choice delivery) {
    this.delivery = delivery;
  }

  /**
   * Its workloads.
   *
   * @param counts of what there is one to many or many to one
   */
  abstract List<BrokerWorkload> workloads(List<Integer> counts);

  /** What is measured unless something else is asked for. */
  public Persistence.Choice delivery() {
    return delivery;
  }

  /** Whether it uses a folder on a disk. */
  public boolean needsFolder() {
    return this == JOURNAL || this == DISK;
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return Words.of(this);
  }
}
