package io.sluice.gateway.cli;

import io.sluice.gateway.Exposure;
import io.sluice.gateway.StartCheck;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.config.Problem;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that lists the problems of a configuration file. Used by the main thread only. */
@Command(
    name = "check-config",
    header = "Check a configuration file and list all its problems.",
    description = {
      "Reads all files that 'sluice run' reads at its start. Opens no connection and writes"
          + " nothing. Creates the connection factory of the provider 'factory', which connects"
          + " later.",
      "Also warns about access without a credential, a rule or encryption."
    },
    exitCodeListHeading = HelpText.EXIT_CODES,
    exitCodeList = {
      "0:the file is valid",
      "1:the file has problems",
      HelpText.INVALID_COMMAND_LINE
    },
    footerHeading = HelpText.EXAMPLE,
    footer = "  sluice check-config sluice.yaml",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class CheckConfigCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "Configuration file (YAML).")
  private Path file;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    ConfigDraft draft = ConfigFile.read(file, System::getenv);
    List<Problem> problems = StartCheck.problems(draft);
    problems.forEach(out::println);
    if (problems.isEmpty()) {
      Exposure.of(draft.config()).forEach(each -> out.println("warning: " + each));
      out.println(file + " is valid" + missingUrl(draft));
    } else {
      out.println(file + " has " + Configuration.count(problems));
    }
    return problems.isEmpty() ? Termination.OK : Termination.FAILED;
  }

  /** Returns a note if the file has no broker URL, which the command line can provide. */
  private static String missingUrl(ConfigDraft draft) {
    boolean complete = !Configuration.needsBrokerUrl(draft.config());
    return complete ? "" : "; broker.url is not set, so 'sluice run' requires --broker";
  }
}
