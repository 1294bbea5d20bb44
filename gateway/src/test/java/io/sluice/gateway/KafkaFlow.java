package io.sluice.gateway;

import io.sluice.gateway.broker.kafka.KafkaTopics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Publisher of numbered messages to a Kafka topic, on a thread. For any thread. */
final class KafkaFlow implements MessageFlow {
  private static final long SECOND_NS = 1_000_000_000;

  private final KafkaTopics topics;
  private final String topic;
  private final int partitions;
  private final int count;
  private final long pauseNs;
  private final List<Future<RecordMetadata>> sent = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "kafka-flow");
  private volatile int sentCount;
  private volatile boolean stopped;
  private volatile List<String> stored;

  /**
   * @param perSecond number of messages that are published in a second
   */
  KafkaFlow(KafkaTopics topics, String topic, int partitions, int count, int perSecond) {
    this.topics = topics;
    this.topic = topic;
    this.partitions = partitions;
    this.count = count;
    this.pauseNs = SECOND_NS / perSecond;
  }

  @Override
  public void start() {
    thread.start();
  }

  private void run() {
    for (int number = 0; number < count && !stopped; number++) {
      sent.add(send(number));
      sentCount = number + 1;
      LockSupport.parkNanos(pauseNs);
    }
  }

  // Each message has another key, so that compaction removes none.
  private Future<RecordMetadata> send(int number) {
    String text = String.valueOf(number);
    return topics.send(topic, number % partitions, text, text);
  }

  void awaitSent(int messages) {
    while (sentCount < messages) {
      LockSupport.parkNanos(pauseNs);
    }
  }

  /** Waits until all messages are stored, and returns their ids in frames. */
  @Override
  public List<String> awaitStored() throws Exception {
    thread.join();
    List<String> ids = new ArrayList<>();
    for (Future<RecordMetadata> each : sent) {
      RecordMetadata record = each.get();
      ids.add("%04x%08x".formatted(record.partition(), record.offset()));
    }
    stored = ids;
    return ids;
  }

  // A producer receives no epoch, which is the end of an id.
  @Override
  public String storedId(String id) {
    return id.substring(0, 12);
  }

  /** Returns the number of stored messages; -1 while more are published. */
  @Override
  public int stored() {
    List<String> all = stored;
    return all == null ? -1 : all.size();
  }

  /** Ends publishing. */
  @Override
  public void stop() {
    stopped = true;
  }
}
