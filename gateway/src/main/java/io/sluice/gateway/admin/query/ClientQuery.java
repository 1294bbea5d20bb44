package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TracedFrame;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** Details of one session, which only its node can have. */
public record ClientQuery(String session) implements Query {
  /** Maximum number of listed subscriptions. */
  public static final int MAX_SUBSCRIPTIONS = 1_000;

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    return source
        .<JsonObject>clients(() -> new Finder(session, source.node()))
        .thenApply(loops -> loops.stream().filter(Objects::nonNull).findFirst().orElse(null));
  }

  @Override
  public boolean concerns(String node) {
    return node.equals(ClientAction.SessionId.node(session));
  }

  @Override
  public String forNode() {
    return "/clients/" + QueryInput.encoded(session) + "?scope=node";
  }

  @Override
  public Merge merge() {
    return new ClientAction.SingleAnswer();
  }

  /** Search of one event loop for the session. */
  private static final class Finder implements ClientCollector<JsonObject> {
    private final String session;
    private final long number;
    private final String node;
    private JsonObject found;

    Finder(String session, String node) {
      this.session = session;
      this.number = ClientAction.SessionId.number(session);
      this.node = node;
    }

    @Override
    public void add(ClientView client) {
      if (client.number() == number && client.session().equals(session)) {
        found = json(client);
      }
    }

    private JsonObject json(ClientView client) {
      JsonObject json = ClientJson.of(node, client);
      if (client.expiresMs() != Long.MAX_VALUE) {
        json.put("credential-expires", client.expiresMs());
      }
      JsonObject permissions = new JsonObject();
      client
          .permissions()
          .forEach((key, patterns) -> permissions.put(key, new JsonArray(patterns)));
      JsonArray subscribed = new JsonArray();
      client.subscriptions(any -> true).stream()
          .limit(MAX_SUBSCRIPTIONS)
          .forEach(each -> subscribed.add(json(each)));
      if (client.frames() != null) {
        JsonArray frames = new JsonArray();
        client.frames().forEach(frame -> frames.add(json(frame)));
        json.put("recent-frames", frames);
      }
      return json.put("permissions", permissions).put("subscribed", subscribed);
    }

    private static JsonObject json(TracedFrame frame) {
      return new JsonObject()
          .put("at", frame.atMs())
          .put("direction", frame.incoming() ? "in" : "out")
          .put("type", frame.type())
          .put("bytes", frame.bytes());
    }

    private static JsonObject json(SubscriptionFigures subscription) {
      return ClientJson.position(new JsonObject(), subscription)
          .put("gaps", subscription.gaps())
          .put(ClientJson.SINCE, subscription.sinceMs());
    }

    @Override
    public JsonObject result() {
      return found;
    }
  }
}
