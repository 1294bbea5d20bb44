package io.sluice.gateway.cli.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command with commands only. Groups inherit what this annotation states. Main thread only. */
@Command(
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
public abstract class CommandGroup implements Runnable {
  @Spec private CommandSpec spec;

  /** Rejects the use without a command. */
  @Override
  public final void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
