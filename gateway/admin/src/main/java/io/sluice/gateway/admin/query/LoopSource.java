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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Source whose stages complete on the admin event loop, so that no other one sorts and encodes. */
record LoopSource(NodeSource source, Executor loop) implements NodeSource {
  @Override
  public String node() {
    return source.node();
  }

  @Override
  public CompletionStage<List<TopicFigures>> topics(Predicate<InterestKey> matches) {
    return source.topics(matches).thenApplyAsync(Function.identity(), loop);
  }

  @Override
  public CompletionStage<TopicLoad> topicLoad() {
    return source.topicLoad().thenApplyAsync(Function.identity(), loop);
  }

  @Override
  public CompletionStage<LogReader> reader(String topic) {
    return source.reader(topic).thenApplyAsync(Function.identity(), loop);
  }

  @Override
  public NodeTotals totals() {
    return source.totals();
  }

  @Override
  public String brokerState() {
    return source.brokerState();
  }

  @Override
  public String brokerState(String topic) {
    return source.brokerState(topic);
  }

  @Override
  public String waiting(String topic) {
    return source.waiting(topic);
  }

  @Override
  public List<DiscardRisk> brokerRisks() {
    return source.brokerRisks();
  }

  @Override
  public CompletionStage<List<NodeLinkFigures>> links() {
    return source.links().thenApplyAsync(Function.identity(), loop);
  }

  @Override
  public String identityProblem(String topic) {
    return source.identityProblem(topic);
  }

  @Override
  public <R> CompletionStage<List<R>> clients(Supplier<ClientCollector<R>> collectors) {
    return source.clients(collectors).thenApplyAsync(Function.identity(), loop);
  }
}
