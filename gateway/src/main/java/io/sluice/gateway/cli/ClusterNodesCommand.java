package io.sluice.gateway.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists the nodes of a cluster. Used by the main thread only. */
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
final class ClusterNodesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private AdminPorts ports;

  @Option(names = "--json", description = "Print what the node has said, a JSON object.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    ClusterList list = new ClusterClient(ports, spec.commandLine().getErr()).list();
    if (json) {
      out.println(list.json().encodePrettily());
    } else {
      ClusterTable.lines(list).forEach(out::println);
    }
    out.flush();
    return Termination.OK;
  }
}
