package io.sluice.gateway.admin;

import io.sluice.gateway.admin.query.NodeSource;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.LogReader;
import io.sluice.gateway.query.NodeTotals;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Figures of a node without topics and clients.
 *
 * @param waits which topics wait
 */
record NoFigures(String node, Supplier<String> waits) implements NodeSource {
  NoFigures(String node) {
    this(node, () -> "");
  }

  @Override
  public String waiting() {
    return waits.get();
  }

  @Override
  public CompletionStage<List<TopicFigures>> topics(Predicate<InterestKey> matches) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public CompletionStage<TopicLoad> topicLoad() {
    return CompletableFuture.completedFuture(new TopicLoad(0, 1));
  }

  @Override
  public CompletionStage<LogReader> reader(String topic) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public NodeTotals totals() {
    return new NodeTotals(0, 0, 0, 0, NodeTotals.Latency.NONE, 0);
  }

  @Override
  public String brokerState() {
    return "connected";
  }

  @Override
  public <R> CompletionStage<List<R>> clients(Supplier<ClientCollector<R>> collectors) {
    return CompletableFuture.completedFuture(List.of());
  }
}
