package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.admin.ClusterList.Member;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.CommandGroup;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Operators' commands for the nodes of a cluster. Used by the main thread only. */
@Command(
    name = "cluster",
    header = "List the nodes of a cluster, drain or undrain a node, or rebalance clients.",
    description =
        "Requests the list of nodes from one node, and sends commands to each node's own admin"
            + " port.",
    subcommands = {
      ClusterCommand.NodesCommand.class,
      ClusterCommand.DrainCommand.class,
      ClusterCommand.UndrainCommand.class,
      ClusterCommand.RebalanceCommand.class
    })
public final class ClusterCommand extends CommandGroup {
  /** Lists the nodes of a cluster. */
  @Command(
      name = "nodes",
      header = "List the nodes with their state and load, as seen by one of them.",
      description = "Uses the first admin port that responds.",
      exitCodeList = {
        "0:the list was printed",
        "1:no node responded",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer =
          "  sluice cluster nodes --admin https://gw-1.example.com:9090 --token-file admin-token")
  static final class NodesCommand extends ClusterNodeCommand {
    @Option(names = "--json", description = "Print the node's response, a JSON object.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
      ClusterList list = list();
      if (json) {
        print(list.json().encodePrettily());
      } else {
        list.table().forEach(this::print);
      }
      return Termination.OK;
    }
  }

  /** Command for one node. */
  private abstract static class OneNodeCommand extends ClusterNodeCommand {
    @Parameters(
        paramLabel = "NODE",
        description = "Name of the node, as shown by 'sluice cluster nodes'.")
    private String name;

    @Option(names = "--json", description = "Print the node's response, a JSON object.")
    private boolean json;

    /** Returns the path of the request. */
    abstract String path();

    /** Returns the state of the node after the command. */
    abstract String state(JsonObject answer);

    @Override
    public final Integer call() throws InterruptedException {
      ClusterList list = list();
      JsonObject answer = send(list, list.member(name));
      print(
          json
              ? answer.encodePrettily()
              : AdminClient.printable(
                  name
                      + ": "
                      + state(answer)
                      + ", "
                      + answer.getValue("connections")
                      + " clients connected"));
      return Termination.OK;
    }

    private JsonObject send(ClusterList list, Member member) throws InterruptedException {
      try {
        return send(list, member, path());
      } catch (CommandFailure e) {
        throw new CommandFailure(name + ": " + e.getMessage(), e);
      }
    }
  }

  /** Drains one node. */
  @Command(
      name = "drain",
      header =
          "Redirect the clients of a node to other nodes; it accepts no new ones until 'sluice"
              + " cluster undrain' or its restart.",
      description = "A second drain changes nothing.",
      exitCodeList = {
        "0:the drain has started, now or before",
        "1:the drain has not started",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer =
          "  sluice cluster drain gw-2 --admin https://gw-1.example.com:9090 --token-file"
              + " admin-token")
  static final class DrainCommand extends OneNodeCommand {
    @Override
    String path() {
      return "/drain";
    }

    @Override
    String state(JsonObject answer) {
      return "draining";
    }
  }

  /** Ends the drain of one node. */
  @Command(
      name = "undrain",
      header = "End the drain of a node, which accepts clients again.",
      description = "Clients that were notified may still leave.",
      exitCodeList = {
        "0:the drain has ended, or there was none",
        "1:the drain has not ended, for example because the node stops",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer =
          "  sluice cluster undrain gw-2 --admin https://gw-1.example.com:9090 --token-file"
              + " admin-token")
  static final class UndrainCommand extends OneNodeCommand {
    @Override
    String path() {
      return "/undrain";
    }

    @Override
    String state(JsonObject answer) {
      return String.valueOf(answer.getValue("state"));
    }
  }

  /** Rebalances the clients of all nodes. */
  @Command(
      name = "rebalance",
      header = "Redirect clients from nodes with too many clients to nodes with too few.",
      description = "Sends the command to each node that is up.",
      exitCodeList = {
        "0:all nodes have started, or have nothing to move",
        "1:at least one node has not started",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer =
          "  sluice cluster rebalance --admin https://gw-1.example.com:9090 --token-file"
              + " admin-token")
  static final class RebalanceCommand extends ClusterNodeCommand {
    @Option(names = "--json", description = "Print the nodes' responses, a JSON array.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
      ClusterList list = list();
      List<Member> up = list.nodes().stream().filter(node -> node.state().equals("up")).toList();
      JsonArray answers = new JsonArray();
      for (Member member : up) {
        String name = AdminClient.printable(member.name());
        try {
          JsonObject answer = send(list, member, "/rebalance");
          answers.add(answer);
          if (!json) {
            print(name + ": " + outcome(answer));
          }
        } catch (CommandFailure e) { // continue with the other nodes
          printFailure(name + ": " + e.getMessage());
        }
      }
      if (json) {
        print(answers.encodePrettily());
      }
      if (up.isEmpty()) {
        throw new CommandFailure("no node is up");
      }
      requireNone(up.size() - answers.size(), up.size());
      return Termination.OK;
    }

    private static String outcome(JsonObject answer) {
      Object clients = answer.getValue("connections");
      Integer moves = answer.getInteger("moves", 0);
      return moves == 0
          ? "nothing to move, " + clients + " clients"
          : "redirects " + moves + " of " + clients + " clients";
    }
  }
}
