package io.sluice.gateway.cli;

import io.sluice.gateway.cli.ClusterList.Member;
import io.sluice.gateway.cli.admin.AdminClient;
import io.sluice.gateway.cli.admin.AdminPorts;
import io.sluice.gateway.cli.command.CommandFailure;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.net.URI;
import java.util.List;

/** Client of the admin ports of a cluster's nodes. Used by the main thread only. */
final class ClusterClient {
  private static final String LIST = "/cluster";
  private static final List<Integer> SUCCESS = List.of(200, 202);

  private final List<URI> ports;
  private final AdminClient client;
  private final PrintWriter err;

  ClusterClient(AdminPorts ports, PrintWriter err) {
    this.ports = ports.nodes();
    this.client = ports.client();
    this.err = err;
  }

  /**
   * Returns the list of the first node that responds. Prints the failures of the nodes before it.
   *
   * @throws CommandFailure if no node responds
   */
  ClusterList list() throws InterruptedException {
    for (URI port : ports) {
      try {
        return list(port);
      } catch (CommandFailure e) { // the next node may respond
        err.println(port + ": " + e.getMessage());
        err.flush();
      }
    }
    throw new CommandFailure("no node returned the list of nodes");
  }

  private ClusterList list(URI port) throws InterruptedException {
    return ClusterList.of(port, client.get(port, LIST));
  }

  /**
   * Sends a command to a node's own admin port and returns the response.
   *
   * @param path of the command
   * @throws CommandFailure with the URL of the port
   */
  JsonObject command(ClusterList list, Member member, String path) throws InterruptedException {
    URI port = list.node().equals(member.name()) ? list.source() : port(list, member);
    // The node's name is sent because a DNS name may now resolve to another node.
    JsonObject body = new JsonObject().put("node", member.name());
    try {
      return client.post(port, path, body, SUCCESS);
    } catch (CommandFailure e) {
      throw named(port, e);
    }
  }

  private static CommandFailure named(URI port, CommandFailure failure) {
    return new CommandFailure(port + ": " + failure.getMessage(), failure);
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
    String found = nodeAt(port);
    if (!found.equals(member.name())) {
      throw new CommandFailure(
          "its admin port " + port + " is that of node " + found + " (cluster.admin-url)");
    }
    return port;
  }

  private String nodeAt(URI port) throws InterruptedException {
    try {
      return list(port).node();
    } catch (CommandFailure e) {
      throw named(port, e);
    }
  }
}
