package io.sluice.gateway.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What operators do with all nodes of a cluster. Used by the main thread only. */
@Command(
    name = "cluster",
    header = "Show the nodes of a cluster, drain one, or even out their clients.",
    description = "One node is asked for the others; each is then told by its own admin port.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {
      ClusterNodesCommand.class,
      ClusterDrainCommand.class,
      ClusterRebalanceCommand.class
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
}
