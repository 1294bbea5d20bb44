package io.sluice.loadtest.cli;

import io.sluice.loadtest.broker.workload.Acknowledge;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.MessageType;
import io.sluice.loadtest.broker.workload.Mode;
import picocli.CommandLine.Option;

/**
 * The options that say who sends what to whom; null where the preset's own value stands. Used by
 * the main thread only.
 */
final class BenchBrokerWorkload {
  @Option(
      names = "--mode",
      description = "What destinations are: ${COMPLETION-CANDIDATES} (queue).")
  private Mode mode;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "Of the producers, and as many of the consumers (1).")
  private Integer connections;

  @Option(
      names = "--sessions",
      paramLabel = "N",
      description =
          "Of each connection, shared by its producers or consumers; 0: one for each (0).")
  private Integer sessions;

  @Option(
      names = "--destinations",
      paramLabel = "N",
      description = "Queues or topics; producers and consumers are dealt out to them (1).")
  private Integer destinations;

  @Option(names = "--producers", paramLabel = "N", description = "All together (1).")
  private Integer producers;

  @Option(names = "--consumers", paramLabel = "N", description = "All together (1).")
  private Integer consumers;

  @Option(
      names = "--transacted",
      negatable = true,
      description = "Send and receive in transactions.")
  private Boolean transacted;

  @Option(
      names = "--messages-per-transaction",
      paramLabel = "N",
      description = "On both sides (1).")
  private Integer transaction;

  @Option(names = "--priority", paramLabel = "N", description = "0 to 9 (4).")
  private Integer priority;

  @Option(names = "--type", description = "Of the messages: ${COMPLETION-CANDIDATES} (text).")
  private MessageType type;

  @Option(names = "--size", paramLabel = "BYTES", description = "Of a payload, 48 at least (1024).")
  private Integer size;

  @Option(
      names = "--properties",
      paramLabel = "N",
      description = "Integer properties p0, p1 and so on of each message, of values 0 to 9 (0).")
  private Integer properties;

  @Option(
      names = "--durable",
      negatable = true,
      description = "The consumers of topics are durable subscribers; needs --client-id.")
  private Boolean durable;

  @Option(
      names = "--acknowledge",
      description = "Outside of transactions: ${COMPLETION-CANDIDATES} (auto).")
  private Acknowledge acknowledge;

  @Option(
      names = "--selector",
      paramLabel = "EXPRESSION",
      description =
          "Which messages consumers want, such as 'p0 < 5' with --properties 1; what is lost can't be told then.")
  private String selector;

  /**
   * A workload with what was asked for in place of its own.
   *
   * @throws IllegalArgumentException names the option that is wrong, and what was expected
   */
  BrokerWorkload over(BrokerWorkload base) {
    return new BrokerWorkload(
        base.name(),
        or(mode, base.mode()),
        or(connections, base.connections()),
        or(sessions, base.sessions()),
        or(destinations, base.destinations()),
        or(producers, base.producers()),
        or(consumers, base.consumers()),
        transaction(base.transaction()),
        or(priority, base.priority()),
        or(type, base.type()),
        or(size, base.size()),
        or(properties, base.properties()),
        or(durable, base.durable()),
        or(acknowledge, base.acknowledge()),
        or(selector, base.selector()));
  }

  private int transaction(int own) {
    if (!or(transacted, own > 0)) {
      if (transaction != null) {
        throw new IllegalArgumentException(
            "--messages-per-transaction without transactions; expected --transacted with it");
      }
      return 0;
    }
    int messages = or(transaction, Math.max(1, own));
    if (messages < 1) {
      throw new IllegalArgumentException(
          "--transacted with --messages-per-transaction " + messages + ": expected 1 at least");
    }
    return messages;
  }

  private static <T> T or(T asked, T own) {
    return asked == null ? own : asked;
  }
}
