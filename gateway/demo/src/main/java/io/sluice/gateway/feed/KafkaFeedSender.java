package io.sluice.gateway.feed;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Producer of records to one Kafka topic, whose keys are topics: the record of {@code stocks.7} has
 * the key {@code 7} in {@code stocks}. Confined to the feed's thread.
 */
public final class KafkaFeedSender implements FeedSender {
  private static final int PARTITIONS = 4;
  private static final int TIMEOUT_MS = 10_000;

  private final FeedPlan plan;
  private final Producer<String, String> producer;
  private volatile Exception lost;

  private KafkaFeedSender(FeedPlan plan, Producer<String, String> producer) {
    this.plan = plan;
    this.producer = producer;
  }

  /**
   * Returns a source of senders, which creates missing topics.
   *
   * @param servers addresses, as host:port
   * @param topics Kafka topics
   */
  public static Source source(List<String> servers, List<String> topics) {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers", servers,
            "request.timeout.ms", TIMEOUT_MS,
            "default.api.timeout.ms", TIMEOUT_MS);
    return plan -> {
      try (Admin admin = Admin.create(properties)) {
        create(admin, topics);
      } catch (KafkaException | ExecutionException e) {
        throw new IOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
      return new KafkaFeedSender(plan, producer(servers));
    };
  }

  private static void create(Admin admin, List<String> topics)
      throws ExecutionException, InterruptedException {
    Set<String> known = admin.listTopics().names().get();
    List<NewTopic> missing =
        topics.stream()
            .filter(topic -> !known.contains(topic))
            .map(topic -> new NewTopic(topic, PARTITIONS, (short) -1))
            .toList();
    admin.createTopics(missing).all().get();
  }

  private static Producer<String, String> producer(List<String> servers) {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers", servers,
            "request.timeout.ms", TIMEOUT_MS,
            "delivery.timeout.ms", TIMEOUT_MS,
            "max.block.ms", TIMEOUT_MS,
            "linger.ms", 0);
    return new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
  }

  @Override
  public void send(int topic, String text) throws IOException {
    Exception failure = lost;
    if (failure != null) {
      throw new IOException(failure);
    }
    String name = plan.topic(topic);
    int dot = name.indexOf('.');
    try {
      producer.send(
          new ProducerRecord<>(name.substring(0, dot), name.substring(dot + 1), text),
          (stored, cause) -> lost = cause == null ? lost : cause);
    } catch (KafkaException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
