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
import picocli.CommandLine.Spec;

/** Has all nodes even out their clients. Used by the main thread only. */
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
final class ClusterRebalanceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private AdminPorts ports;

  @Option(names = "--json", description = "Print what the nodes have answered, a JSON array.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    ClusterClient client = new ClusterClient(ports, err);
    ClusterList list = client.list();
    List<Member> up = list.nodes().stream().filter(node -> node.state().equals("up")).toList();
    JsonArray answers = new JsonArray();
    for (Member member : up) {
      String name = AdminClient.printable(member.name());
      try {
        JsonObject answer = client.command(list, member, "/rebalance");
        answers.add(answer);
        say(out, name + ": " + outcome(answer));
      } catch (CommandFailure e) { // the others are told all the same
        err.println(name + ": " + e.getMessage());
        err.flush();
      }
    }
    if (json) {
      out.println(answers.encodePrettily());
      out.flush();
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

  private void say(PrintWriter out, String line) {
    if (!json) {
      out.println(line);
      out.flush();
    }
  }

  private static int result(int all, int done) {
    if (all == 0) {
      throw new CommandFailure("no node is up");
    }
    if (done < all) {
      throw new CommandFailure(
          all
              - done
              + " of "
              + all
              + " nodes did not do it"
              + (done > 0 ? "; the others did" : ""));
    }
    return Termination.OK;
  }
}
