package io.sluice.gateway.broker.kafka;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
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

  /** Completes with the state of a topic. */
  CompletionStage<TopicLook> look(String topic) {
    return admin
        .describeTopics(
            List.of(topic), new DescribeTopicsOptions().includeAuthorizedOperations(true))
        .topicNameValues()
        .get(topic)
        .toCompletionStage()
        .thenCompose(this::look);
  }

  // A consumer learns that it may not read only when there are records.
  private CompletionStage<TopicLook> look(TopicDescription topic) {
    Set<AclOperation> allowed = topic.authorizedOperations();
    if (allowed != null && !allowed.contains(AclOperation.READ)) {
      return CompletableFuture.failedStage(new TopicAuthorizationException(Set.of(topic.name())));
    }
    CompletionStage<ListOffsetsResultInfo[]> ends = offsets(topic, OffsetSpec.latest());
    CompletionStage<ListOffsetsResultInfo[]> begins = offsets(topic, OffsetSpec.earliest());
    String stream = cluster + '/' + topic.topicId();
    return isCompacted(topic)
        .thenCompose(
            compact ->
                begins.thenCombine(
                    ends,
                    (first, next) ->
                        new TopicLook(
                            stream, compact, numbers(first), numbers(next), epochs(next))));
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

  private static long[] numbers(ListOffsetsResultInfo[] offsets) {
    return Arrays.stream(offsets).mapToLong(ListOffsetsResultInfo::offset).toArray();
  }

  private static int[] epochs(ListOffsetsResultInfo[] offsets) {
    return Arrays.stream(offsets)
        .mapToInt(each -> each.leaderEpoch().orElse(TopicLook.UNKNOWN))
        .toArray();
  }

  private CompletionStage<ListOffsetsResultInfo[]> offsets(
      TopicDescription topic, OffsetSpec spec) {
    int partitions = topic.partitions().size();
    Map<TopicPartition, OffsetSpec> request = new HashMap<>();
    for (int partition = 0; partition < partitions; partition++) {
      request.put(new TopicPartition(topic.name(), partition), spec);
    }
    return admin
        .listOffsets(request, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
        .all()
        .toCompletionStage()
        .thenApply(
            offsets ->
                request.keySet().stream()
                    .sorted(Comparator.comparingInt(TopicPartition::partition))
                    .map(offsets::get)
                    .toArray(ListOffsetsResultInfo[]::new));
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
