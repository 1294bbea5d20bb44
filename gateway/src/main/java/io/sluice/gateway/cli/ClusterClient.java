package io.sluice.gateway.cli;

import io.sluice.gateway.cli.ClusterList.Member;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.net.URI;
import java.util.List;

/** Asks one node for the others, and commands each by itself. Used by the main thread only. */
final class ClusterClient {
  private static final String LIST = "/cluster";
  private static final List<Integer> DONE = List.of(200, 202);

  private final List<URI> ports;
  private final AdminClient client;
  private final PrintWriter err;

  ClusterClient(AdminPorts ports, PrintWriter err) {
    this.ports = ports.nodes();
    this.client = ports.client();
    this.err = err;
  }

  /**
   * What the first node says that answers; why others don't is told.
   *
   * @throws CommandFailure if none does
   */
  ClusterList list() throws InterruptedException {
    for (URI port : ports) {
      try {
        return list(port);
      } catch (CommandFailure e) { // the next one may know as much
        err.println(port + ": " + e.getMessage());
        err.flush();
      }
    }
    throw new CommandFailure("no node has told of the cluster");
  }

  private ClusterList list(URI port) throws InterruptedException {
    return ClusterList.of(port, client.get(port, LIST));
  }

  /**
   * Has one node do something, wherever its admin port is.
   *
   * @param path of the command
   * @return the node's answer
   */
  JsonObject command(ClusterList list, Member member, String path) throws InterruptedException {
    URI port = list.node().equals(member.name()) ? list.asked() : port(list, member);
    // Behind a name of several nodes, another one may answer now.
    return client.post(port, path, new JsonObject().put("node", member.name()), DONE);
  }

  /** Its own admin port; that of another node must not do what this one should. */
  private URI port(ClusterList list, Member member) throws InterruptedException {
    URI port = AdminClient.url(member.adminUrl());
    if (port == null) {
      throw new CommandFailure(
          "it does not say where its admin port is (cluster.admin-url); ask it by --admin URL");
    }
    if (list.asked().getScheme().equals("https") && !port.getScheme().equals("https")) {
      throw new CommandFailure(
          "it says that its admin port is " + port + ", and no token goes there without TLS");
    }
    String found = list(port).node();
    if (!found.equals(member.name())) {
      throw new CommandFailure("at " + port + ", where it should be, is the node " + found);
    }
    return port;
  }
}
