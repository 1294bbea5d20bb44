package io.sluice.gateway.broker.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Administrative client: state of the cluster and of topics. Any thread; no method blocks, except
 * {@link #close}. Results arrive on the client's thread.
 */
final class TopicDirectory implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TopicDirectory.class);
  private static final String POLICY = "cleanup.policy";
  private static final int MAX_POLICIES = 10_000;

  private final Admin admin;
  private final Metric connections;
  private volatile String cluster;

  /** True for topics that are compacted, by id. */
  private final Map<Uuid, Boolean> compacted = new ConcurrentHashMap<>();

  /** Receiver of the states of topics; called on the client's thread. */
  interface LookListener {
    /**
     * The request for a topic has ended.
     *
     * @param look null if it failed
     * @param failure null if it did not
     */
    void onLook(String topic, TopicLook look, Throwable failure);
  }

  private record Offsets(ListOffsetsResult begins, ListOffsetsResult ends) {}

  TopicDirectory(Map<String, Object> properties) {
    this.admin = Admin.create(properties);
    this.connections =
        admin.metrics().entrySet().stream()
            .filter(metric -> metric.getKey().name().equals("connection-count"))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(null);
  }

  /** Returns the number of connections to brokers; 1 if it is unknown. */
  int connections() {
    return connections != null && connections.metricValue() instanceof Double count
        ? count.intValue()
        : 1;
  }

  /** Completes when a broker has responded; called before the first {@link #look}. */
  CompletionStage<Void> probe() {
    return admin
        .describeCluster()
        .clusterId()
        .toCompletionStage()
        .thenAccept(id -> cluster = String.valueOf(id));
  }

  /**
   * Requests the states of topics, with a few requests for all of them.
   *
   * @param listener called once for each topic
   */
  void look(Collection<String> topics, LookListener listener) {
    Map<String, CompletableFuture<TopicDescription>> described = new HashMap<>();
    admin
        .describeTopics(topics, new DescribeTopicsOptions().includeAuthorizedOperations(true))
        .topicNameValues()
        .forEach(
            (topic, answer) ->
                described.put(
                    topic,
                    answer
                        .toCompletionStage()
                        .thenApply(TopicDirectory::readable)
                        .toCompletableFuture()));
    CompletionStage<Offsets> offsets =
        CompletableFuture.allOf(described.values().toArray(CompletableFuture[]::new))
            .handle((all, failure) -> offsets(described.values()));
    described.forEach(
        (topic, description) ->
            description
                .thenCombine(offsets, this::look)
                .thenCompose(Function.identity())
                .whenComplete((look, failure) -> listener.onLook(topic, look, cause(failure))));
  }

  // A consumer learns that it may not read only when there are records.
  private static TopicDescription readable(TopicDescription topic) {
    Set<AclOperation> allowed = topic.authorizedOperations();
    if (allowed != null && !allowed.contains(AclOperation.READ)) {
      throw new TopicAuthorizationException(Set.of(topic.name()));
    }
    return topic;
  }

  private Offsets offsets(Collection<CompletableFuture<TopicDescription>> topics) {
    List<TopicPartition> partitions =
        topics.stream()
            .filter(topic -> !topic.isCompletedExceptionally())
            .flatMap(topic -> partitions(topic.join()).stream())
            .toList();
    return new Offsets(
        offsets(partitions, OffsetSpec.earliest()), offsets(partitions, OffsetSpec.latest()));
  }

  private ListOffsetsResult offsets(List<TopicPartition> partitions, OffsetSpec spec) {
    return admin.listOffsets(
        partitions.stream().collect(Collectors.toMap(Function.identity(), partition -> spec)),
        new ListOffsetsOptions(IsolationLevel.READ_COMMITTED));
  }

  private static List<TopicPartition> partitions(TopicDescription topic) {
    return IntStream.range(0, topic.partitions().size())
        .mapToObj(partition -> new TopicPartition(topic.name(), partition))
        .toList();
  }

  private CompletionStage<TopicLook> look(TopicDescription topic, Offsets offsets) {
    String stream = cluster + '/' + topic.topicId();
    return isCompacted(topic)
        .thenCompose(
            compact ->
                of(topic, offsets.begins)
                    .thenCombine(
                        of(topic, offsets.ends),
                        (first, next) ->
                            new TopicLook(
                                stream, compact, numbers(first), numbers(next), epochs(next))));
  }

  // Another topic may be without a leader.
  private static CompletionStage<List<ListOffsetsResultInfo>> of(
      TopicDescription topic, ListOffsetsResult offsets) {
    List<CompletableFuture<ListOffsetsResultInfo>> all =
        partitions(topic).stream()
            .map(each -> offsets.partitionResult(each).toCompletionStage().toCompletableFuture())
            .toList();
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(done -> all.stream().map(CompletableFuture::join).toList());
  }

  private CompletionStage<Boolean> isCompacted(TopicDescription topic) {
    Boolean known = compacted.get(topic.topicId());
    if (known != null) {
      return CompletableFuture.completedStage(known);
    }
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
    return admin
        .describeConfigs(List.of(resource))
        .values()
        .get(resource)
        .toCompletionStage()
        .thenApply(config -> config.get(POLICY).value().contains("compact"))
        .exceptionally(failure -> withoutPolicy(topic.name(), failure))
        .thenApply(
            compact -> {
              if (compacted.size() < MAX_POLICIES) {
                compacted.put(topic.topicId(), compact);
              }
              return compact;
            });
  }

  private static boolean withoutPolicy(String topic, Throwable failure) {
    Throwable cause = cause(failure);
    if (!(cause instanceof AuthorizationException)) {
      throw new CompletionException(cause);
    }
    log.atWarn()
        .addKeyValue("topic", topic)
        .addKeyValue("needs", "permission DescribeConfigs")
        .addKeyValue("without", "no snapshots from the stored records of a compacted topic")
        .log("source.policy-unknown");
    return false;
  }

  private static long[] numbers(List<ListOffsetsResultInfo> offsets) {
    return offsets.stream().mapToLong(ListOffsetsResultInfo::offset).toArray();
  }

  private static int[] epochs(List<ListOffsetsResultInfo> offsets) {
    return offsets.stream()
        .mapToInt(each -> each.leaderEpoch().orElse(TopicLook.UNKNOWN))
        .toArray();
  }

  /** Returns the failure of a stage. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
