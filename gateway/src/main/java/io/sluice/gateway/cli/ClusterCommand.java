package io.sluice.gateway.cli;

import io.sluice.gateway.cli.ClusterList.Member;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Commands of operators for all nodes of a cluster. Used by the main thread only. */
@Command(
    name = "cluster",
    header = "Show the nodes of a cluster, drain one, or even out their clients.",
    description = "One node is asked for the others; each is then told by its own admin port.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {
      ClusterCommand.NodesCommand.class,
      ClusterCommand.DrainCommand.class,
      ClusterCommand.RebalanceCommand.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class ClusterCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** Without a command: how to use it. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /** Parts of every command. */
  private abstract static class NodeCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private AdminPorts ports;

    final ClusterClient client() {
      return new ClusterClient(ports, err());
    }

    final PrintWriter err() {
      return spec.commandLine().getErr();
    }

    final void print(String line) {
      PrintWriter out = spec.commandLine().getOut();
      out.println(line);
      out.flush();
    }
  }

  /** Lists the nodes of a cluster. */
  @Command(
      name = "nodes",
      header = "List the nodes with their state and load, as one of them knows them.",
      description = {
        "Of several addresses the first that answers is believed. Exit code 0: the list is there; 1:"
            + " not."
      },
      sortOptions = false,
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  static final class NodesCommand extends NodeCommand {
    @Option(names = "--json", description = "Print what the node has said, a JSON object.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
      ClusterList list = client().list();
      if (json) {
        print(list.json().encodePrettily());
      } else {
        list.table().forEach(this::print);
      }
      return Termination.OK;
    }
  }

  /** Makes one node redirect its clients. */
  @Command(
      name = "drain",
      header =
          "Have a node send its clients to the others; it takes no new ones until it is restarted.",
      description = "Exit code 0: it has begun, or had before; 1: it has not.",
      sortOptions = false,
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  static final class DrainCommand extends NodeCommand {
    @Parameters(paramLabel = "NODE", description = "Its name, as 'sluice cluster nodes' shows it.")
    private String name;

    @Option(names = "--json", description = "Print what the node has answered, a JSON object.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
      ClusterClient client = client();
      ClusterList list = client.list();
      Member member = list.member(name);
      JsonObject answer = drain(client, list, member);
      print(
          json
              ? answer.encodePrettily()
              : name + ": drains, " + answer.getValue("connections") + " clients are there");
      return Termination.OK;
    }

    private JsonObject drain(ClusterClient client, ClusterList list, Member member)
        throws InterruptedException {
      try {
        return client.command(list, member, "/drain");
      } catch (CommandFailure e) {
        throw new CommandFailure(name + ": " + e.getMessage(), e);
      }
    }
  }

  /** Makes all nodes even out their clients. */
  @Command(
      name = "rebalance",
      header = "Have each node that has too many clients send some to those that have too few.",
      description = {
        "All nodes that are up are told, each by its own admin port. Exit code 0: all of them have"
            + " begun, or have nothing to move;",
        "1: not all."
      },
      sortOptions = false,
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  static final class RebalanceCommand extends NodeCommand {
    @Option(names = "--json", description = "Print what the nodes have answered, a JSON array.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
      ClusterClient client = client();
      ClusterList list = client.list();
      List<Member> up = list.nodes().stream().filter(node -> node.state().equals("up")).toList();
      JsonArray answers = new JsonArray();
      for (Member member : up) {
        String name = AdminClient.printable(member.name());
        try {
          JsonObject answer = client.command(list, member, "/rebalance");
          answers.add(answer);
          if (!json) {
            print(name + ": " + outcome(answer));
          }
        } catch (CommandFailure e) { // the others are told all the same
          err().println(name + ": " + e.getMessage());
          err().flush();
        }
      }
      if (json) {
        print(answers.encodePrettily());
      }
      return result(up.size(), answers.size());
    }

    private static String outcome(JsonObject answer) {
      Object clients = answer.getValue("connections");
      Integer moves = answer.getInteger("moves", 0);
      return moves == 0
          ? "nothing to move, " + clients + " clients"
          : "asks " + moves + " of " + clients + " clients to move";
    }

    private static int result(int all, int done) {
      if (all == 0) {
        throw new CommandFailure("no node is up");
      }
      if (done < all) {
        String others = done > 0 ? "; the others did" : "";
        throw new CommandFailure(all - done + " of " + all + " nodes did not do it" + others);
      }
      return Termination.OK;
    }
  }
}
