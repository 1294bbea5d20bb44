package io.sluice.gateway.admin.query;

import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.query.NodeLinkFigures;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/**
 * Figures of nodes and their sums, now and in the last hour. Bound to the admin event loop.
 *
 * @param alertsUrl page of firing alerts to which the console links; empty for none
 */
record OverviewQuery(History history, String alertsUrl) implements Query {
  static final String AT = "at";
  static final String CLIENTS = "clients";
  static final String MESSAGES = "messages-rate";
  static final String FRAMES = "frames-rate";
  static final String BYTES = "bytes-rate";
  static final String P50 = "latency-p50-ms";
  static final String P99 = "latency-p99-ms";
  static final String P999 = "latency-p999-ms";
  static final String LAG = "loop-lag-ms";

  private static final String BY_NODE = "by-node";
  private static final String RISKS = "broker-risks";
  private static final String LINKS = "links";
  private static final String HISTORY = "history";

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    JsonObject now =
        history
            .sample(source.totals(), System.nanoTime())
            .put(ClientJson.NODE, source.node())
            .put("broker", source.brokerState());
    if (!source.brokerRisks().isEmpty()) {
      now.put(
          RISKS, new JsonArray(source.brokerRisks().stream().map(OverviewQuery::json).toList()));
    }
    return source
        .links()
        .thenApply(
            links -> {
              if (!links.isEmpty()) {
                now.put(LINKS, new JsonArray(links.stream().map(OverviewQuery::json).toList()));
              }
              return new JsonObject()
                  .put(BY_NODE, new JsonArray(List.of(now)))
                  .put(HISTORY, history.json());
            });
  }

  private static JsonObject json(NodeLinkFigures link) {
    JsonObject json =
        new JsonObject().put("peer", link.peer()).put("as", link.isRoot() ? "leaf" : "root");
    json.put("transport", link.isMulticast() ? "multicast" : "tcp");
    if (!link.isRoot()) {
      json.put("topics", link.topics()).put("behind", link.behind());
    }
    return link.roundTripMs() < 0 ? json : json.put("round-trip-ms", link.roundTripMs());
  }

  private static JsonObject json(DiscardRisk risk) {
    return new JsonObject()
        .put("address", risk.address())
        .put("setting", risk.setting())
        .put("value", risk.value())
        .put("effect", risk.effect());
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public String forNode() {
    return "/overview?scope=node";
  }

  @Override
  public Merge merge() {
    return new Nodes(alertsUrl);
  }

  /** Adds the figures of a node. Each node receives every message, so their rate is a maximum. */
  private static JsonObject merged(JsonObject first, JsonObject second) {
    JsonObject merged =
        new JsonObject()
            .put(CLIENTS, first.getLong(CLIENTS) + second.getLong(CLIENTS))
            .put(FRAMES, first.getDouble(FRAMES) + second.getDouble(FRAMES))
            .put(BYTES, first.getDouble(BYTES) + second.getDouble(BYTES));
    for (String member : List.of(MESSAGES, LAG)) {
      merged.put(member, Math.max(first.getDouble(member), second.getDouble(member)));
    }
    for (String member : List.of(P50, P99, P999)) { // absent without traffic
      Double latency = first.getDouble(member);
      Double other = second.getDouble(member, latency);
      if (other != null) {
        merged.put(member, latency == null ? other : Math.max(latency, other));
      }
    }
    return first.containsKey(AT) ? merged.put(AT, first.getLong(AT)) : merged;
  }

  private static JsonObject withoutNode(JsonObject ofNode) {
    JsonObject figures = ofNode.copy();
    figures.remove(ClientJson.NODE);
    figures.remove("broker");
    figures.remove(RISKS);
    figures.remove(LINKS);
    return figures;
  }

  /** Figures and samples of all nodes. Confined to one thread. */
  private static final class Nodes implements Merge {
    private final JsonArray byNode = new JsonArray();
    private final Map<Long, JsonObject> samples = new TreeMap<>();
    private final String alertsUrl;
    private JsonObject sum;

    Nodes(String alertsUrl) {
      this.alertsUrl = alertsUrl;
    }

    @Override
    public void add(JsonObject answer) {
      JsonArray nodes = answer.getJsonArray(BY_NODE);
      JsonObject figures = withoutNode(nodes.getJsonObject(0));
      sum = sum == null ? figures : merged(sum, figures);
      byNode.addAll(nodes);
      samplesOf(answer).forEach((at, sample) -> samples.merge(at, sample, OverviewQuery::merged));
    }

    // Two samples of a node can be rounded to the same time; the later one counts.
    private static Map<Long, JsonObject> samplesOf(JsonObject answer) {
      JsonArray history = answer.getJsonArray(HISTORY);
      Map<Long, JsonObject> ofNode = new TreeMap<>();
      for (int i = 0; i < history.size(); i++) {
        JsonObject sample = history.getJsonObject(i);
        ofNode.put(sample.getLong(AT), sample);
      }
      return ofNode;
    }

    @Override
    public JsonObject result() {
      JsonArray history = new JsonArray();
      samples.values().stream()
          .skip(Math.max(0, samples.size() - History.MAX_SAMPLES))
          .forEach(history::add);
      JsonObject all =
          new JsonObject().put("cluster", sum).put(BY_NODE, byNode).put(HISTORY, history);
      return alertsUrl.isEmpty() ? all : all.put("alerts-url", alertsUrl);
    }
  }
}
