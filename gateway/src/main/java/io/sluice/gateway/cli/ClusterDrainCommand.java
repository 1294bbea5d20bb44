package io.sluice.gateway.cli;

import io.sluice.gateway.cli.ClusterList.Member;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Has one node send its clients away. Used by the main thread only. */
@Command(
    name = "drain",
    header =
        "Have a node send its clients to the others; it takes no new ones until it is restarted.",
    description = "Exit code 0: it has begun, or had before; 1: it has not.",
    sortOptions = false,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class ClusterDrainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NODE", description = "Its name, as 'sluice cluster nodes' shows it.")
  private String name;

  @Mixin private AdminPorts ports;

  @Option(names = "--json", description = "Print what the node has answered, a JSON object.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    ClusterClient client = new ClusterClient(ports, spec.commandLine().getErr());
    ClusterList list = client.list();
    Member member = list.member(name);
    JsonObject answer = drain(client, list, member);
    out.println(
        json
            ? answer.encodePrettily()
            : name + ": drains, " + answer.getValue("connections") + " clients are there");
    out.flush();
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
