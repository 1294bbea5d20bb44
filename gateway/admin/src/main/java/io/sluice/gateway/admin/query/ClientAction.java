package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.ClientView;
import io.vertx.core.json.JsonObject;
import java.util.function.Predicate;

/**
 * Operator's action on one session, at its node only. Immutable, for any thread.
 *
 * @param word word of the action, the last part of its path
 * @param body body of the request, a JSON object
 * @param operator address of the operator
 * @param act runs the action on the client's event loop; returns whether it had an effect
 */
public record ClientAction(
    String session, String word, String body, String operator, Predicate<ClientView> act)
    implements SingleSessionQuery {
  /** Header of a forwarded command with the operator's address. */
  public static final String OPERATOR_HEADER = "Sluice-Operator";

  /** Maximum duration of a trace in seconds. */
  public static final int MAX_TRACE_SECONDS = 300;

  private static final String NO_BODY = "{}";

  /** Returns the action that ends a session. */
  public static ClientAction disconnect(String session, String operator) {
    return new ClientAction(
        session,
        "disconnect",
        NO_BODY,
        operator,
        client -> {
          client.disconnect(operator);
          return true;
        });
  }

  /** Returns the action that redirects a client. */
  public static ClientAction redirect(String session, String url, String operator) {
    return new ClientAction(session, "redirect", NO_BODY, operator, client -> client.redirect(url));
  }

  /** Returns the action that remembers the latest frames of a session. */
  public static ClientAction trace(String session, int seconds, String operator) {
    return new ClientAction(
        session,
        "trace",
        new JsonObject().put("seconds", seconds).encode(),
        operator,
        client -> {
          client.trace(seconds);
          return true;
        });
  }

  @Override
  public JsonObject answer(ClientView client, String node) {
    return new JsonObject()
        .put(ClientJson.NODE, node)
        .put(ClientJson.SESSION, session)
        .put("done", act.test(client));
  }

  @Override
  public String command() {
    return body;
  }

  @Override
  public String forNode() {
    return "/clients/" + QueryInput.encoded(session) + "/" + word + "?scope=node";
  }
}
