package io.sluice.gateway.admin;

import io.sluice.gateway.admin.query.ClientAction;
import io.sluice.gateway.admin.query.Queries;
import io.sluice.gateway.admin.query.QueryInput;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.query.NodeStatus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * Pages {@code /clients/{session}/disconnect}, {@code /redirect} and {@code /trace}, which also
 * reach sessions of other nodes. Bound to the admin event loop.
 */
final class ClientActions {
  /** Address of an operator, with the zone of an IPv6 address. */
  private static final Pattern ADDRESS = Pattern.compile("[0-9A-Za-z.:%_-]{1,80}");

  private final Queries queries;
  private final ClusterView cluster;
  private final AuditLog audit;

  ClientActions(Queries queries, ClusterView cluster, AuditLog audit) {
    this.queries = queries;
    this.cluster = cluster;
    this.audit = audit;
  }

  /** Runs the action of a route. */
  void serve(AdminRoute route, HttpServerRequest request, Operator by) {
    JsonBody.read(
        request,
        body -> {
          String session = QueryInput.decoded(route.parameter(request.path()));
          Operator sender = sender(request, by);
          run(action(route, session, body, sender.address()), request, sender);
        });
  }

  /** Returns the operator, also if another node has forwarded the command. */
  private static Operator sender(HttpServerRequest request, Operator by) {
    String operator = request.getHeader(ClientAction.OPERATOR_HEADER);
    if (operator == null) {
      return by;
    }
    if (!ADDRESS.matcher(operator).matches()) {
      throw new IllegalArgumentException(ClientAction.OPERATOR_HEADER + " is not an address");
    }
    return by.forwarding(operator);
  }

  private ClientAction action(AdminRoute route, String session, Buffer body, String operator) {
    if (route == AdminRoute.TRACE) {
      return ClientAction.trace(session, seconds(body), operator);
    }
    if (!body.toString().strip().equals("{}")) {
      throw new IllegalArgumentException("the body of this command must be {}");
    }
    return route == AdminRoute.DISCONNECT
        ? ClientAction.disconnect(session, operator)
        : ClientAction.redirect(session, target(session), operator);
  }

  private static int seconds(Buffer body) {
    try {
      JsonObject json = body.toJsonObject();
      int seconds = json.getInteger("seconds", 0);
      if (json.size() == 1 && seconds >= 1 && seconds <= ClientAction.MAX_TRACE_SECONDS) {
        return seconds;
      }
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      throw invalidSeconds(e);
    }
    throw invalidSeconds(null);
  }

  private static IllegalArgumentException invalidSeconds(Exception cause) {
    String error =
        "the body of this command must be {\"seconds\":N} with N from 1 to "
            + ClientAction.MAX_TRACE_SECONDS;
    return new IllegalArgumentException(error, cause);
  }

  /** Returns the URL of the node with the fewest clients that does not have the session. */
  private String target(String session) {
    return cluster.nodes().stream()
        .filter(NodeStatus::acceptsClients)
        .filter(node -> !session.startsWith(node.id() + "-"))
        .min(Comparator.comparingInt(node -> node.load().connections()))
        .map(NodeStatus::publicUrl)
        .orElse("");
  }

  private void run(ClientAction action, HttpServerRequest request, Operator by) {
    if (action.word().equals("redirect") && target(action.session()).isEmpty()) {
      Responses.text(request, 409, "no other node is up and has a cluster.public-url");
      return;
    }
    queries
        .answer(action, new QueryInput(request::getParam), request.getHeader("Authorization"), by)
        .thenAccept(
            result -> {
              record(action, result, by);
              QueryPages.send(request, result);
            });
  }

  // The node that has run the command records it; this one if none has.
  private void record(ClientAction action, Queries.Result result, Operator by) {
    if (result.json() != null) {
      JsonObject answer = result.json().toJsonObject();
      if (queries.node().equals(answer.getString("node"))) {
        String why = answer.getBoolean("done") ? null : "no-effect";
        audit.commanded(action.word(), action.session(), by, why);
      }
    } else if (by.via().isEmpty()) {
      audit.commanded(action.word(), action.session(), by, result.error());
    }
  }
}
