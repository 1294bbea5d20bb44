package io.sluice.gateway.auth;

import static java.util.stream.Collectors.toMap;

import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Permissions of one principal for topics and queues. Immutable, for any thread.
 *
 * @param patterns patterns of topics or queues by granted operation
 * @param common further permissions, one object shared by many clients; null if there are none
 * @param alone whether a rule excludes references between compressed messages
 */
public record Grant(Map<Operation, List<String>> patterns, Grant common, boolean alone) {
  /** Grant of all topics and queues that the node serves, for nodes without rules. */
  public static final Grant EVERYTHING =
      new Grant(Operation.ALL.stream().collect(toMap(each -> each, each -> List.of(">"))), null);

  /** Grant without permissions. */
  public static final Grant NOTHING = new Grant(Map.of(), null);

  public Grant {
    patterns = Map.copyOf(patterns);
  }

  /** Creates a grant that does not limit compression. */
  Grant(Map<Operation, List<String>> patterns, Grant common) {
    this(patterns, common, false);
  }

  /** Creates a grant of topics without a shared part. */
  public Grant(List<String> subscribe, List<String> publish) {
    this(
        Map.of(
            Operation.SUBSCRIBE, List.copyOf(subscribe), Operation.PUBLISH, List.copyOf(publish)),
        null);
  }

  /** Returns the patterns of an operation, without the shared ones. */
  List<String> patterns(Operation operation) {
    return patterns.getOrDefault(operation, List.of());
  }

  /** Returns whether every topic that this topic or pattern matches is granted. */
  public boolean maySubscribe(String topic) {
    return may(Operation.SUBSCRIBE, topic);
  }

  /** Returns whether publishing to this topic is granted. */
  public boolean mayPublish(String topic) {
    return may(Operation.PUBLISH, topic);
  }

  /** Returns whether publishing to this queue is granted. */
  public boolean maySend(String queue) {
    return may(Operation.SEND, queue);
  }

  /** Returns whether consuming from this queue is granted. */
  public boolean mayConsume(String queue) {
    return may(Operation.CONSUME, queue);
  }

  /** Returns whether browsing this queue is granted. */
  public boolean mayBrowse(String queue) {
    return may(Operation.BROWSE, queue);
  }

  /** Returns whether durable subscriptions of this topic or pattern are granted. */
  public boolean mayHaveDurable(String topic) {
    return may(Operation.DURABLE, topic);
  }

  /** Returns whether durable subscriptions of any topic are granted. */
  public boolean mayHaveDurables() {
    return !patterns(Operation.DURABLE).isEmpty() || common != null && common.mayHaveDurables();
  }

  /** Returns whether shared subscriptions of this topic or pattern are granted. */
  public boolean mayShare(String topic) {
    return may(Operation.SHARED, topic);
  }

  /** Returns whether the members of this topic are shown. */
  public boolean maySeeMembers(String topic) {
    return may(Operation.PRESENCE, topic);
  }

  /** Returns whether messages to the client are compressed without reference to others. */
  public boolean compressesAlone() {
    return alone || common != null && common.compressesAlone();
  }

  /** Returns all patterns of an operation. */
  public Stream<String> all(Operation operation) {
    Stream<String> own = patterns(operation).stream();
    return common == null ? own : Stream.concat(own, common.all(operation));
  }

  private boolean may(Operation operation, String name) {
    return TopicPattern.anyCovers(patterns(operation), name)
        || common != null && common.may(operation, name);
  }

  /** Returns the number of patterns, including the shared ones. */
  int size() {
    int own = patterns.values().stream().mapToInt(List::size).sum();
    return own + (common == null ? 0 : common.size());
  }
}
