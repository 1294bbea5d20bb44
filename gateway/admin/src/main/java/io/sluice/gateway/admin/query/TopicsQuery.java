package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.TopicFigures;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.ToDoubleFunction;

/**
 * List of topics. If one node receives the query, it returns the first ones. Several nodes return
 * all, because their figures are added before they are sorted.
 */
public record TopicsQuery(Page page, TopicKind kind) implements Query {
  private static final String TOPICS = "topics";
  private static final String TOTAL = "total";

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    return source
        .topics(key -> kind.includes(key) && page.matches(key.topic()))
        .thenApply(
            found -> {
              Topics topics = new Topics(this);
              found.forEach(topics::add);
              return topics.result();
            });
  }

  @Override
  public Query perNode(boolean isOnly) {
    return new TopicsQuery(page.fromStart(isOnly ? page.end() : Page.MAX_NODE_LIMIT), kind);
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public String forNode() {
    return "/topics?scope=node&limit="
        + Page.MAX_NODE_LIMIT
        + "&kind="
        + kind.word()
        + "&sort="
        + page.sort()
        + "&search="
        + QueryInput.encoded(page.search());
  }

  @Override
  public Merge merge() {
    return new Topics(this);
  }

  private Comparator<TopicFigures> order() {
    ToDoubleFunction<TopicFigures> rank =
        switch (page.sort()) {
          case "bytes" -> TopicFigures::bytesRate;
          case "subscribers" -> TopicFigures::subscribers;
          case "log" -> TopicFigures::logMessages;
          case "log-age" -> TopicFigures::logAgeMs;
          case "gaps" -> TopicFigures::gaps;
          default -> TopicFigures::rate;
        };
    return Comparator.comparingDouble(rank).reversed().thenComparing(topic -> topic.key().name());
  }

  /** Topics of one node or of all nodes, by their keys. Confined to one thread. */
  private static final class Topics implements Merge {
    private final TopicsQuery query;
    private final Map<InterestKey, TopicFigures> all = new HashMap<>();
    private long total;

    Topics(TopicsQuery query) {
      this.query = query;
    }

    void add(TopicFigures interest) {
      InterestKey key = query.kind.entry(interest.key());
      all.merge(key, under(interest, key), TopicFigures::plus);
    }

    private static TopicFigures under(TopicFigures figures, InterestKey key) {
      return new TopicFigures(
          key,
          figures.source(),
          figures.rate(),
          figures.bytesRate(),
          figures.subscribers(),
          figures.logMessages(),
          figures.logBytes(),
          figures.logAgeMs(),
          figures.lastMessageMs(),
          figures.gaps(),
          figures.consumer(),
          figures.numbered());
    }

    @Override
    public void add(JsonObject answer) {
      JsonArray topics = answer.getJsonArray(TOPICS);
      total = Math.max(total, answer.getLong(TOTAL));
      for (int i = 0; i < topics.size(); i++) {
        TopicFigures topic = TopicJson.figures(topics.getJsonObject(i));
        if (query.kind.includes(topic.key())) { // earlier versions return all kinds
          add(topic);
        }
      }
    }

    @Override
    public JsonObject result() {
      List<TopicFigures> sorted = all.values().stream().sorted(query.order()).toList();
      List<JsonObject> shown = query.page.cut(sorted).stream().map(TopicJson::of).toList();
      return new JsonObject()
          .put(TOPICS, new JsonArray(shown))
          .put(TOTAL, Math.max(total, sorted.size()));
    }
  }
}
