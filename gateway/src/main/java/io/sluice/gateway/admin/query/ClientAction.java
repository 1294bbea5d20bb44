package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * Operator's action on one session, at its node only. Immutable, for any thread.
 *
 * @param word word of the action, the last part of its path
 * @param body body of the request, a JSON object
 * @param act runs the action on the client's event loop; returns whether it had an effect
 */
public record ClientAction(String session, String word, String body, Predicate<ClientView> act)
    implements Query {
  /** Maximum duration of a trace in seconds. */
  public static final int MAX_TRACE_SECONDS = 300;

  private static final String NO_BODY = "{}";

  /** Returns the action that ends a session. */
  public static ClientAction disconnect(String session) {
    return new ClientAction(
        session,
        "disconnect",
        NO_BODY,
        client -> {
          client.disconnect();
          return true;
        });
  }

  /** Returns the action that redirects a client. */
  public static ClientAction redirect(String session, String url) {
    return new ClientAction(session, "redirect", NO_BODY, client -> client.redirect(url));
  }

  /** Returns the action that remembers the latest frames of a session. */
  public static ClientAction trace(String session, int seconds) {
    return new ClientAction(
        session,
        "trace",
        new JsonObject().put("seconds", seconds).encode(),
        client -> {
          client.trace(seconds);
          return true;
        });
  }

  @Override
  public CompletionStage<JsonObject> ofNode(NodeSource source) {
    return source
        .<JsonObject>clients(() -> new Actor(this, source.node()))
        .thenApply(loops -> loops.stream().filter(Objects::nonNull).findFirst().orElse(null));
  }

  @Override
  public boolean concerns(String node) {
    return node.equals(SessionId.node(session));
  }

  @Override
  public String command() {
    return body;
  }

  @Override
  public String forNode() {
    return "/clients/" + QueryInput.encoded(session) + "/" + word + "?scope=node";
  }

  @Override
  public Merge merge() {
    return new SingleAnswer();
  }

  /** Search of one event loop for the session. */
  private static final class Actor implements ClientCollector<JsonObject> {
    private final ClientAction action;
    private final String node;
    private final long number;
    private JsonObject done;

    Actor(ClientAction action, String node) {
      this.action = action;
      this.node = node;
      this.number = SessionId.number(action.session);
    }

    @Override
    public void add(ClientView client) {
      if (client.number() == number && client.session().equals(action.session)) {
        done =
            new JsonObject()
                .put(ClientJson.NODE, node)
                .put(ClientJson.SESSION, action.session)
                .put("done", action.act.test(client));
      }
    }

    @Override
    public JsonObject result() {
      return done;
    }
  }

  /** Node and number in the id of a session. Stateless. */
  static final class SessionId {
    private SessionId() {}

    /** Returns the node; empty if the text is no id of a session. */
    static String node(String session) {
      int number = session.lastIndexOf('-');
      int started = number < 0 ? -1 : session.lastIndexOf('-', number - 1);
      return started < 0 ? "" : session.substring(0, started);
    }

    /** Returns the number; -1 if the text is no id of a session. */
    static long number(String session) {
      String digits = session.substring(session.lastIndexOf('-') + 1);
      return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : -1;
    }
  }

  /** Answer of the only node that can have one. Confined to one thread. */
  static final class SingleAnswer implements Merge {
    private JsonObject found;

    @Override
    public void add(JsonObject answer) {
      found = answer;
    }

    @Override
    public JsonObject result() {
      return found;
    }
  }
}
