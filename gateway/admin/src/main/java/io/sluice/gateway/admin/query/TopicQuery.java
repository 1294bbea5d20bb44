package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TopicFigures;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Figures of one topic by node, and its subscribers. */
public record TopicQuery(String topic) implements Query {
  /** Maximum number of listed subscriptions. */
  public static final int MAX_SUBSCRIPTIONS = 100;

  private static final String INTERESTS = "interests";
  private static final String SUBSCRIPTIONS = "subscriptions";

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    return source
        .topics(this::isCoveredBy)
        .thenCombine(
            source.<Subscribers>clients(() -> new Subscribers(this, source.node())),
            (interests, loops) -> json(source.node(), interests, loops));
  }

  @Override
  public boolean isShared() {
    return true;
  }

  boolean isCoveredBy(InterestKey key) {
    return TopicPattern.covers(key.topic(), topic);
  }

  private JsonObject json(String node, List<TopicFigures> interests, List<Subscribers> loops) {
    JsonArray figures = new JsonArray();
    interests.forEach(each -> figures.add(TopicJson.of(each).put(ClientJson.NODE, node)));
    List<JsonObject> listed = new ArrayList<>();
    loops.forEach(loop -> listed.addAll(loop.listed));
    return new JsonObject()
        .put(TopicJson.TOPIC, topic)
        .put(INTERESTS, figures)
        .put(TopicJson.SUBSCRIBERS, loops.stream().mapToLong(loop -> loop.count).sum())
        .put(SUBSCRIPTIONS, first(listed));
  }

  private static JsonArray first(List<JsonObject> listed) {
    return new JsonArray(
        List.copyOf(listed.subList(0, Math.min(MAX_SUBSCRIPTIONS, listed.size()))));
  }

  @Override
  public String object() {
    return "a subscription to " + topic;
  }

  @Override
  public String forNode() {
    return "/topics/" + QueryInput.encoded(topic) + "?scope=node";
  }

  @Override
  public Merge merge() {
    return new Nodes(topic);
  }

  /** Subscriptions of one event loop that cover the topic. */
  private static final class Subscribers implements ClientCollector<Subscribers> {
    private final TopicQuery query;
    private final String node;
    private final List<JsonObject> listed = new ArrayList<>();
    private long count;

    Subscribers(TopicQuery query, String node) {
      this.query = query;
      this.node = node;
    }

    @Override
    public void add(ClientView client) {
      for (SubscriptionFigures each : client.subscriptions(query::isCoveredBy)) {
        count++;
        if (listed.size() < MAX_SUBSCRIPTIONS) {
          listed.add(json(client, each));
        }
      }
    }

    private JsonObject json(ClientView client, SubscriptionFigures subscription) {
      JsonObject json =
          new JsonObject()
              .put(ClientJson.NODE, node)
              .put(ClientJson.SESSION, client.session())
              .put(ClientJson.SUBJECT, client.subject());
      return ClientJson.position(json, subscription);
    }

    @Override
    public Subscribers result() {
      return this;
    }
  }

  /** Interests and subscribers of the nodes that have any. Confined to one thread. */
  private static final class Nodes implements Merge {
    private final String topic;
    private final JsonArray interests = new JsonArray();
    private final List<JsonObject> listed = new ArrayList<>();
    private long count;

    Nodes(String topic) {
      this.topic = topic;
    }

    @Override
    public void add(JsonObject answer) {
      JsonArray more = answer.getJsonArray(SUBSCRIPTIONS);
      interests.addAll(answer.getJsonArray(INTERESTS));
      count += answer.getLong(TopicJson.SUBSCRIBERS);
      for (int i = 0; i < more.size(); i++) {
        listed.add(more.getJsonObject(i));
      }
    }

    @Override
    public JsonObject result() {
      if (interests.isEmpty() && count == 0) {
        return null;
      }
      return new JsonObject()
          .put(TopicJson.TOPIC, topic)
          .put(INTERESTS, interests)
          .put(TopicJson.SUBSCRIBERS, count)
          .put(SUBSCRIPTIONS, first(listed));
    }
  }
}
