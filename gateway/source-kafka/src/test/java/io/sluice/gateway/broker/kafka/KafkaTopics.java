package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topics of a Kafka server and a publisher to them. For any thread. */
public final class KafkaTopics implements AutoCloseable {
  private final Admin admin;
  private final Producer<byte[], byte[]> producer;

  /** Connects to a server. */
  public KafkaTopics(String server) {
    admin = Admin.create(Map.of("bootstrap.servers", server));
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", server, "linger.ms", 0, "reconnect.backoff.max.ms", 500),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /** Creates a topic; waits until a topic that is being deleted under this name is gone. */
  public void create(String topic, int partitions, String... settings) throws Exception {
    Map<String, String> configs = new HashMap<>();
    for (String setting : settings) {
      configs.put(setting.split("=")[0], setting.split("=")[1]);
    }
    NewTopic added = new NewTopic(topic, partitions, (short) 1).configs(configs);
    for (boolean created = false; !created; ) {
      try {
        admin.createTopics(List.of(added)).all().get();
        created = true;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw e;
        }
      }
    }
  }

  /** Adds partitions to a topic. */
  public void grow(String topic, int partitions) throws Exception {
    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions))).all().get();
  }

  /** Deletes a topic. */
  public void delete(String topic) throws Exception {
    admin.deleteTopics(List.of(topic)).all().get();
  }

  /** Deletes the records before an offset. */
  public void deleteBefore(String topic, int partition, long offset) throws Exception {
    admin
        .deleteRecords(
            Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset)))
        .all()
        .get();
  }

  /** Publishes a text and waits until it is stored; null is a tombstone. */
  public RecordMetadata publish(String topic, String key, String value) throws Exception {
    return send(topic, null, key, value).get();
  }

  /** Publishes a text to a partition, or that of its key if null. */
  public Future<RecordMetadata> send(String topic, Integer partition, String key, String value) {
    return producer.send(new ProducerRecord<>(topic, partition, bytes(key), bytes(value)));
  }

  /** Publishes a record. */
  public RecordMetadata publish(ProducerRecord<byte[], byte[]> record) throws Exception {
    return producer.send(record).get();
  }

  /** Publishes numbers to a partition and waits until they are stored. */
  public void publishNumbers(String topic, int partition, int from, int to) throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (int number = from; number < to; number++) {
      sent.add(send(topic, partition, null, String.valueOf(number)));
    }
    for (Future<RecordMetadata> each : sent) {
      each.get();
    }
  }

  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(UTF_8);
  }

  @Override
  public void close() {
    producer.close(java.time.Duration.ZERO);
    admin.close(java.time.Duration.ZERO);
  }
}
