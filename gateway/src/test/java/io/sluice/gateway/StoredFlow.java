package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.PublishOptions;
import io.sluice.gateway.broker.kafka.KafkaTopics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Publisher of numbered messages to a source that stores them, on a thread. For any thread. */
final class StoredFlow implements MessageFlow {
  private static final long SECOND_NS = 1_000_000_000;

  private final IntFunction<Callable<String>> publish;
  private final int count;
  private final long pauseNs;
  private final List<Callable<String>> sent = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "flow");
  private volatile int sentCount;
  private volatile boolean stopped;
  private volatile List<String> stored;

  private StoredFlow(IntFunction<Callable<String>> publish, int count, int perSecond) {
    this.publish = publish;
    this.count = count;
    this.pauseNs = SECOND_NS / perSecond;
  }

  /** Publishes to the partitions of a Kafka topic. Compaction removes no message. */
  static StoredFlow kafka(
      KafkaTopics topics, String topic, int partitions, int count, int perSecond) {
    return new StoredFlow(
        number -> {
          String text = String.valueOf(number);
          Future<RecordMetadata> record = topics.send(topic, number % partitions, text, text);
          return () -> id(record.get().partition(), record.get().offset());
        },
        count,
        perSecond);
  }

  /** Publishes to a subject of a stream, also while the server restarts. */
  static StoredFlow nats(Connection client, String subject, int count, int perSecond) {
    return new StoredFlow(number -> publish(client, subject, number), count, perSecond);
  }

  // A confirmation may be lost: the server drops a repetition.
  private static Callable<String> publish(Connection client, String subject, int number) {
    byte[] text = String.valueOf(number).getBytes(UTF_8);
    PublishOptions options = PublishOptions.builder().messageId("" + number).build();
    try {
      long sequence = client.jetStream().publish(subject, text, options).getSeqno();
      return () -> id(0, sequence);
    } catch (IOException | JetStreamApiException | IllegalStateException e) {
      return null;
    }
  }

  private static String id(int partition, long offset) {
    return "%04x%08x".formatted(partition, offset);
  }

  @Override
  public void start() {
    thread.start();
  }

  private void run() {
    while (sentCount < count && !stopped) {
      Callable<String> next = publish.apply(sentCount);
      if (next != null) { // otherwise it is published again
        sent.add(next);
        sentCount = sent.size();
      }
      LockSupport.parkNanos(pauseNs);
    }
  }

  void awaitSent(int messages) {
    while (sentCount < messages) {
      LockSupport.parkNanos(pauseNs);
    }
  }

  @Override
  public List<String> awaitStored() throws Exception {
    thread.join();
    List<String> ids = new ArrayList<>();
    for (Callable<String> each : sent) {
      ids.add(each.call());
    }
    stored = ids;
    return ids;
  }

  // The publisher receives neither epoch nor time, of which the end of an id consists.
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

  @Override
  public void stop() {
    stopped = true;
  }
}
