package io.sluice.gateway;

import io.sluice.gateway.admin.query.NodeSource;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.LogReader;
import io.sluice.gateway.query.NodeLinkFigures;
import io.sluice.gateway.query.NodeTotals;
import io.sluice.gateway.query.TopicFigures;
import io.sluice.gateway.query.TopicLoad;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Figures of this node's hub and clients, for queries of the admin port. For any thread. */
record NodeFigures(
    String node, Hub hub, ClientPorts ports, LinkModule nodeLinks, GatewayMetrics metrics)
    implements NodeSource {
  @Override
  public CompletionStage<List<TopicFigures>> topics(Predicate<InterestKey> matches) {
    return hub.figures(matches);
  }

  @Override
  public CompletionStage<TopicLoad> topicLoad() {
    return hub.topicLoad();
  }

  @Override
  public CompletionStage<LogReader> reader(String topic) {
    return hub.reader(topic);
  }

  @Override
  public NodeTotals totals() {
    return metrics.totals(ports.connections());
  }

  @Override
  public String brokerState() {
    return hub.brokerState();
  }

  @Override
  public String brokerState(String topic) {
    return hub.brokerState(topic);
  }

  @Override
  public String waiting() {
    return hub.waiting();
  }

  @Override
  public String waiting(String topic) {
    return hub.waiting(topic);
  }

  @Override
  public List<DiscardRisk> brokerRisks() {
    return hub.sources().risks();
  }

  @Override
  public CompletionStage<List<NodeLinkFigures>> links() {
    return nodeLinks.figures();
  }

  @Override
  public String identityProblem(String topic) {
    return hub.identityProblem(topic);
  }

  @Override
  public <R> CompletionStage<List<R>> clients(Supplier<ClientCollector<R>> collectors) {
    return ports.collect(collectors);
  }
}
