package io.sluice.gateway.admin;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.query.NodeStatus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Pages {@code /cluster}, {@code /drain} and {@code /rebalance}: nodes of the cluster, and commands
 * that move clients. Bound to the admin event loop.
 */
final class ClusterPages {
  private static final String NODE = "node";
  private static final int OK = 200;
  private static final int ACCEPTED = 202;

  private final ClusterView cluster;
  private final AuditLog audit;

  ClusterPages(ClusterView cluster, AuditLog audit) {
    this.cluster = cluster;
    this.audit = audit;
  }

  /** Lists the nodes. */
  void list(HttpServerRequest request) {
    JsonArray nodes = new JsonArray();
    cluster.nodes().forEach(node -> nodes.add(json(node)));
    JsonObject body =
        new JsonObject()
            .put("cluster", cluster.name())
            .put(NODE, cluster.self().id())
            .put("nodes", nodes);
    Responses.json(request, OK, body);
  }

  private static JsonObject json(NodeStatus node) {
    return new JsonObject()
        .put("name", node.id())
        .put("state", node.state())
        .put("since", node.sinceMs())
        .put("version", node.version())
        .put("public-url", node.publicUrl())
        .put("admin-url", node.adminUrl())
        .put("load", json(node.load()));
  }

  private static JsonObject json(NodeStatus.Load load) {
    return new JsonObject()
        .put("connections", load.connections())
        .put("movable", load.movable())
        .put("message-rate", load.messageRate())
        .put("cpu", load.cpu())
        .put("loop-lag-ms", load.loopLagMs());
  }

  /** Starts to drain this node. */
  void drain(HttpServerRequest request, Operator by) {
    onCommand(request, () -> startDrain(request, by));
  }

  /** Ends a drain of this node. */
  void undrain(HttpServerRequest request, Operator by) {
    onCommand(request, () -> endDrain(request, by));
  }

  private void endDrain(HttpServerRequest request, Operator by) {
    if (cluster.undrain()) {
      audit.commanded("undrain", by);
      Responses.json(request, OK, self());
    } else {
      Responses.text(request, 409, "this node is stopping; its drain cannot be ended");
    }
  }

  /** Starts to redirect surplus clients of this node. */
  void rebalance(HttpServerRequest request, Operator by) {
    onCommand(request, () -> startRebalance(request, by));
  }

  private void onCommand(HttpServerRequest request, Runnable command) {
    JsonBody.read(
        request,
        body -> {
          String target = node(body);
          if (target != null && !target.equals(cluster.self().id())) {
            Responses.text(
                request,
                409,
                "the command is for another node; this is node " + cluster.self().id());
          } else {
            command.run();
          }
        });
  }

  /**
   * Returns the node in a command's body, or null. Unknown members are refused, because later
   * versions may define them.
   */
  private static String node(Buffer body) {
    JsonObject command;
    try {
      command = body.toJsonObject();
    } catch (DecodeException | ClassCastException e) {
      throw new IllegalArgumentException("the body is not a JSON object", e);
    }
    Object node = command.getValue(NODE);
    boolean named = node instanceof String;
    if (command.size() != (named ? 1 : 0)) {
      throw new IllegalArgumentException("the body of this command must be {} or {\"node\":NAME}");
    }
    return (String) node;
  }

  private void startDrain(HttpServerRequest request, Operator by) {
    if (cluster.drain()) {
      audit.commanded("drain", by);
    }
    Responses.json(request, ACCEPTED, self());
  }

  private void startRebalance(HttpServerRequest request, Operator by) {
    if (cluster.name().isEmpty()) {
      Responses.text(request, 409, "this node belongs to no cluster (cluster.name is empty)");
      return;
    }
    audit.commanded("rebalance", by);
    Future.fromCompletionStage(cluster.rebalance(), Vertx.currentContext())
        .onSuccess(
            moves -> Responses.json(request, moves > 0 ? ACCEPTED : OK, self().put("moves", moves)))
        .onFailure(stopping -> Responses.text(request, 503, "this node is stopping"));
  }

  private JsonObject self() {
    NodeStatus self = cluster.self();
    return new JsonObject()
        .put(NODE, self.id())
        .put("state", self.state())
        .put("connections", self.load().connections());
  }
}
