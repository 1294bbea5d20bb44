package io.sluice.gateway.admin.query;

import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.LogReader;
import io.sluice.gateway.query.NodeLinkFigures;
import io.sluice.gateway.query.NodeTotals;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Figures of this node. Any thread may call it; it never blocks. */
public interface NodeSource {
  /** Returns the name of this node. */
  String node();

  /** Returns the figures of the interests whose keys match. */
  CompletionStage<List<TopicFigures>> topics(Predicate<InterestKey> matches);

  /** Returns the number of interests and its limit. */
  CompletionStage<TopicLoad> topicLoad();

  /** Returns a reader of a topic's messages; null if the node has no consumer of the topic. */
  CompletionStage<LogReader> reader(String topic);

  /** Returns the totals of the node. */
  NodeTotals totals();

  /** Returns the state of the connections to the sources in words. */
  String brokerState();

  /** Returns the state of the connection to the source of a topic in words. */
  default String brokerState(String topic) {
    return brokerState();
  }

  /** Returns how many topics wait although their source is connected; empty for none. */
  default String waiting() {
    return "";
  }

  /** Returns why no message of a topic arrives although its source is connected, or nothing. */
  default String waiting(String topic) {
    return "";
  }

  /** Returns by what messages may be missing at the broker. */
  default List<DiscardRisk> brokerRisks() {
    return List.of();
  }

  /** Returns the links to other nodes. */
  default CompletionStage<List<NodeLinkFigures>> links() {
    return CompletableFuture.completedFuture(List.of());
  }

  /** Returns why no position of another node is recovered for a topic; empty if such ones are. */
  default String identityProblem(String topic) {
    return "";
  }

  /**
   * Adds the clients of each event loop to a collector of the loop.
   *
   * @return completes with the results when all event loops are done
   */
  <R> CompletionStage<List<R>> clients(Supplier<ClientCollector<R>> collectors);
}
