package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;

/** Topics of a Kafka server and a publisher to them. For any thread. */
public final class KafkaTopics implements AutoCloseable {
  private final Admin admin;
  private final Producer<byte[], byte[]> producer;

  /** Connects to a server. */
  public KafkaTopics(String server) {
    this(server, Map.of());
  }

  /** Connects to a server with properties of clients. */
  public KafkaTopics(String server, Map<String, String> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("bootstrap.servers", server);
    all.put("reconnect.backoff.max.ms", 500);
    Map<String, Object> administration = new HashMap<>(all);
    administration.put("request.timeout.ms", 3_000); // a server may not respond
    admin = Admin.create(administration);
    all.put("linger.ms", 0);
    producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Allows a user operations on a topic. */
  public void allow(String user, String topic, AclOperation... operations) throws Exception {
    ResourcePattern resource = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
    admin
        .createAcls(
            Arrays.stream(operations)
                .map(
                    each ->
                        new AclBinding(
                            resource,
                            new AccessControlEntry(
                                "User:" + user, "*", each, AclPermissionType.ALLOW)))
                .toList())
        .all()
        .get();
  }

  /** Revokes what {@link #allow} has allowed. */
  public void revoke(String user, String topic) throws Exception {
    admin
        .deleteAcls(
            List.of(
                new AclBindingFilter(
                    new ResourcePatternFilter(ResourceType.TOPIC, topic, PatternType.LITERAL),
                    new AccessControlEntryFilter(
                        "User:" + user, null, AclOperation.ANY, AclPermissionType.ANY))))
        .all()
        .get();
  }

  /** Creates a topic; waits until a topic that is being deleted under this name is gone. */
  public void create(String topic, int partitions, String... settings) throws Exception {
    create(new NewTopic(topic, partitions, (short) 1), settings);
  }

  /** Creates a topic with replicas. */
  public void createReplicated(String topic, int partitions, int replicas, String... settings)
      throws Exception {
    create(new NewTopic(topic, partitions, (short) replicas), settings);
  }

  /** Creates a topic with one partition, whose preferred leader is the first of some servers. */
  public void createAt(String topic, List<Integer> servers, String... settings) throws Exception {
    create(new NewTopic(topic, Map.of(0, servers)), settings);
  }

  private void create(NewTopic added, String... settings) throws Exception {
    Map<String, String> configs = new HashMap<>();
    for (String setting : settings) {
      configs.put(setting.split("=")[0], setting.split("=")[1]);
    }
    added.configs(configs);
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

  /** Waits until all replicas of a topic are in sync. */
  public void awaitInSync(String topic) {
    await(
        topic + " in sync",
        topic,
        each -> each.leader() != null && each.isr().size() == each.replicas().size());
  }

  /** Waits until a server is not in sync with any partition of a topic. */
  public void awaitOutOfSync(String topic, int server) {
    await(
        topic + " without server " + server,
        topic,
        partition -> partition.isr().stream().noneMatch(each -> each.id() == server));
  }

  private void await(String what, String topic, Predicate<TopicPartitionInfo> state) {
    Awaitility.await(what)
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> describe(topic).partitions().stream().allMatch(state));
  }

  private TopicDescription describe(String topic) throws Exception {
    return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
  }

  /** Waits until a server leads a partition of a topic. */
  public void awaitLeader(String topic, int server) {
    Awaitility.await(topic + " led by server " + server)
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(
            () ->
                describe(topic).partitions().stream()
                    .anyMatch(each -> each.leader() != null && each.leader().id() == server));
  }

  /** Moves the leaders of a topic to their preferred servers, or to servers that lack records. */
  public void elect(ElectionType type, String topic) {
    Awaitility.await(type + " election of " + topic)
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> elected(type, topic));
  }

  private boolean elected(ElectionType type, String topic) throws Exception {
    Set<TopicPartition> all = new HashSet<>();
    describe(topic)
        .partitions()
        .forEach(each -> all.add(new TopicPartition(topic, each.partition())));
    return admin.electLeaders(type, all).partitions().get().values().stream()
        .allMatch(
            failure -> failure.isEmpty() || failure.get() instanceof ElectionNotNeededException);
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
    producer.close(Duration.ZERO);
    admin.close(Duration.ZERO);
  }
}
