package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.admin.ClusterList.Member;
import io.sluice.gateway.cli.command.CommandFailure;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.List;

/** Command for nodes of a cluster at their own admin ports. Used by the main thread only. */
abstract class ClusterNodeCommand extends AdminCommand {
  private static final List<Integer> SUCCESS = List.of(200, 202);

  /** Returns the list of the first given node that responds. */
  final ClusterList list() throws InterruptedException {
    return first(ClusterNodeCommand::list);
  }

  private static ClusterList list(AdminClient client, URI port) throws InterruptedException {
    return ClusterList.of(port, client.get(port, "/cluster"));
  }

  /**
   * Sends a command to a node's own admin port and returns the response.
   *
   * @param path of the command
   * @throws CommandFailure with the URL of the port
   */
  final JsonObject send(ClusterList list, Member member, String path) throws InterruptedException {
    URI port = list.node().equals(member.name()) ? list.source() : port(list, member);
    // The node's name is sent because a DNS name may now resolve to another node.
    JsonObject body = new JsonObject().put("node", member.name());
    return named(port, (client, node) -> client.post(node, path, body, SUCCESS));
  }

  /** Returns the node's own admin port, after a check that no other node responds there. */
  private URI port(ClusterList list, Member member) throws InterruptedException {
    URI port = AdminClient.url(member.adminUrl());
    if (port == null) {
      throw new CommandFailure(
          "its admin port is unknown (cluster.admin-url is not set); use --admin URL");
    }
    if (list.source().getScheme().equals("https") && !port.getScheme().equals("https")) {
      throw new CommandFailure(
          "its admin port " + port + " has no TLS, so the token is not sent (cluster.admin-url)");
    }
    String found = named(port, ClusterNodeCommand::list).node();
    if (!found.equals(member.name())) {
      throw new CommandFailure(
          "its admin port " + port + " is that of node " + found + " (cluster.admin-url)");
    }
    return port;
  }
}
