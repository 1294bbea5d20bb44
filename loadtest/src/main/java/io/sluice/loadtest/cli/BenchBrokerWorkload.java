package io.sluice.loadtest.cli;

import io.sluice.loadtest.broker.price.PriceFiles;
import io.sluice.loadtest.broker.workload.Acknowledge;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.MessageType;
import io.sluice.loadtest.broker.workload.Mode;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options of the workload; null where the preset's value applies. Used by the main thread only. */
final class BenchBrokerWorkload {
  @Option(
      names = "--mode",
      paramLabel = "TYPE",
      description = "Type of the destinations: ${COMPLETION-CANDIDATES} (default: queue).")
  private Mode mode;

  @Option(
      names = "--connections",
      paramLabel = "N",
      description = "Connections of the producers, and as many of the consumers (default: 1).")
  private Integer connections;

  @Option(
      names = "--sessions",
      paramLabel = "N",
      description =
          "Sessions per connection, shared by its producers or consumers; 0: one for each (default:"
              + " 0).")
  private Integer sessions;

  @Option(
      names = "--destinations",
      paramLabel = "N",
      description =
          "Number of queues or topics, over which producers and consumers are distributed (default:"
              + " 1).")
  private Integer destinations;

  @Option(
      names = "--producers",
      paramLabel = "N",
      description = "Total number of producers (default: 1).")
  private Integer producers;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description = "Total number of consumers (default: 1).")
  private Integer consumers;

  @Option(
      names = "--transacted",
      negatable = true,
      description = "Send and receive in transactions.")
  private Boolean transacted;

  @Option(
      names = "--messages-per-transaction",
      paramLabel = "N",
      description = "Messages per transaction of producers and consumers (default: 1).")
  private Integer transaction;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "JMS priority, 0 to 9 (default: 4).")
  private Integer priority;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description =
          "Message type: ${COMPLETION-CANDIDATES}; price and object contain a typed price update, in"
              + " a compact encoding or serialized by Java (default: text).")
  private MessageType type;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Payload size, at least 48 (default: 1024).")
  private Integer size;

  @Option(
      names = "--properties",
      paramLabel = "N",
      description =
          "Number of integer properties p0, p1 and so on per message, with values 0 to 9 (default:"
              + " 0).")
  private Integer properties;

  @Option(
      names = "--durable",
      negatable = true,
      description = "Consumers of topics are durable subscribers; requires --client-id.")
  private Boolean durable;

  @Option(
      names = "--acknowledge",
      paramLabel = "MODE",
      description =
          "Acknowledge mode outside of transactions: ${COMPLETION-CANDIDATES} (default: auto).")
  private Acknowledge acknowledge;

  @Option(
      names = "--selector",
      paramLabel = "EXPRESSION",
      description =
          "JMS selector of the consumers, such as 'p0 < 5' with --properties 1; losses are then not"
              + " detected.")
  private String selector;

  @Option(
      names = "--reply-to",
      negatable = true,
      description =
          "Requests instead of messages: each producer waits for the reply of a consumer, on its"
              + " temporary queue, before its next request. Only queues, without transactions.")
  private Boolean replyTo;

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description =
          "Types price and object: the first consumer writes each price to this file before it"
              + " acknowledges the message. Each run replaces the file.")
  private Path recording;

  @Option(names = "--record-sync", description = "With --record: sync the file after each price.")
  private boolean recordSync;

  @Option(
      names = "--replay",
      paramLabel = "FILE",
      description =
          "Types price and object: producers send the prices of a recording, at their original"
              + " times or, with --rate, at that rate. A run ends at the end of the file.")
  private Path replay;

  /**
   * Returns a workload with the given options instead of its values.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
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
        or(selector, base.selector()),
        or(replyTo, base.replyTo()),
        new PriceFiles(recording, recordSync, replay));
  }

  private int transaction(int base) {
    if (!or(transacted, base > 0)) {
      if (transaction != null) {
        throw new IllegalArgumentException("--messages-per-transaction requires --transacted");
      }
      return 0;
    }
    int messages = or(transaction, Math.max(1, base));
    if (messages < 1) {
      throw new IllegalArgumentException(
          "--transacted with --messages-per-transaction " + messages + ": expected at least 1");
    }
    return messages;
  }

  private static <T> T or(T option, T base) {
    return option == null ? base : option;
  }
}
