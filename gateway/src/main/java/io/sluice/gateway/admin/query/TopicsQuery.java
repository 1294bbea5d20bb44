package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.InterestKey;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** List of topics. Nodes return all of theirs, because figures are added before they are sorted. */
public record TopicsQuery(Page page) implements Query {
  private static final String TOPICS = "topics";
  private static final String TOTAL = "total";

  /** Members of topics by the word of an order. */
  private static final Map<String, String> MEMBERS =
      Map.of(
          "rate", TopicJson.RATE,
          "bytes", TopicJson.BYTES_RATE,
          "subscribers", TopicJson.SUBSCRIBERS,
          "log", TopicJson.LOG,
          "log-age", TopicJson.LOG_AGE,
          "gaps", TopicJson.GAPS);

  /** Words of the orders, the default first. */
  public static final List<String> SORTS =
      List.of("rate", "bytes", "subscribers", "log", "log-age", "gaps");

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    return source
        .topics(key -> page.matches(key.topic()))
        .thenApply(
            found -> {
              List<JsonObject> topics = new ArrayList<>();
              found.stream().limit(Page.MAX_NODE_LIMIT).map(TopicJson::of).forEach(topics::add);
              return new JsonObject().put(TOPICS, new JsonArray(topics)).put(TOTAL, found.size());
            });
  }

  @Override
  public String forNode() {
    return "/topics?scope=node&limit="
        + Page.MAX_NODE_LIMIT
        + "&sort="
        + page.sort()
        + "&search="
        + QueryInput.encoded(page.search());
  }

  @Override
  public Merge merge() {
    return new Topics(page);
  }

  /** Topics of all nodes, by their keys. Confined to one thread. */
  private static final class Topics implements Merge {
    private final Page page;
    private final Map<InterestKey, JsonObject> all = new HashMap<>();

    Topics(Page page) {
      this.page = page;
    }

    @Override
    public void add(JsonObject answer) {
      JsonArray topics = answer.getJsonArray(TOPICS);
      for (int i = 0; i < topics.size(); i++) {
        JsonObject topic = topics.getJsonObject(i);
        all.merge(TopicJson.key(topic), topic, TopicJson::merge);
      }
    }

    @Override
    public JsonObject result() {
      String member = MEMBERS.get(page.sort());
      List<JsonObject> sorted = new ArrayList<>(all.values());
      sorted.sort(
          Comparator.comparingDouble((JsonObject topic) -> -topic.getDouble(member, 0.0))
              .thenComparing(topic -> TopicJson.key(topic).name()));
      return new JsonObject().put(TOPICS, page.cut(sorted)).put(TOTAL, sorted.size());
    }
  }
}
