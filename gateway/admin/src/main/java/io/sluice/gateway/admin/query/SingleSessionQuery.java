package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** Query or command for one session, which only its node can answer. Immutable, for any thread. */
interface SingleSessionQuery extends Query {
  /** Returns the id of the session. */
  String session();

  /** Returns the answer of the session's node. Called on the client's event loop. */
  JsonObject answer(ClientView client, String node);

  @Override
  default CompletionStage<JsonObject> ofNode(NodeSource source) {
    return source
        .<JsonObject>clients(() -> new Finder(this, source.node()))
        .thenApply(loops -> loops.stream().filter(Objects::nonNull).findFirst().orElse(null));
  }

  @Override
  default boolean concerns(String node) {
    return node.equals(owner());
  }

  @Override
  default String owner() {
    return SessionId.node(session());
  }

  @Override
  default String object() {
    return "the session " + session();
  }

  @Override
  default Merge merge() {
    return new SingleAnswer();
  }

  /** Node and number in the id of a session. Stateless. */
  final class SessionId {
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

  /** Search of one event loop for the session. */
  final class Finder implements ClientCollector<JsonObject> {
    private final SingleSessionQuery query;
    private final String node;
    private final long number;
    private JsonObject found;

    Finder(SingleSessionQuery query, String node) {
      this.query = query;
      this.node = node;
      this.number = SessionId.number(query.session());
    }

    @Override
    public void add(ClientView client) {
      if (client.number() == number && client.session().equals(query.session())) {
        found = query.answer(client, node);
      }
    }

    @Override
    public JsonObject result() {
      return found;
    }
  }

  /** Answer of the only node that can have one. Confined to one thread. */
  final class SingleAnswer implements Merge {
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
