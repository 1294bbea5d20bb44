package io.sluice.gateway.cli;

import io.sluice.gateway.Exposure;
import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.command.Version;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that lists the problems of a configuration file. Used by the main thread only. */
@Command(
    name = "check-config",
    header = "Check a configuration file and list all its problems.",
    description = {
      "Rejects each file that 'sluice run' rejects, except for ports in use and files that another"
          + " node has locked. Reads all files that 'sluice run' reads at its start. Opens no"
          + " connection and writes nothing. Creates the connection factory of the provider 'factory', which connects"
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

  @Option(
      names = "--broker",
      paramLabel = "URL",
      description = "URL of the broker, as for 'sluice run' (broker.url).")
  private String broker;

  @Option(
      names = "--anonymous",
      description = "Admit clients without a credential, as for 'sluice run' (auth.anonymous).")
  private Boolean anonymous;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Configuration configuration =
        new Configuration(file)
            .with(BrokerSettings.URL, broker, "--broker")
            .with(AuthSettings.ANONYMOUS, anonymous, "--anonymous")
            .requireBroker();
    List<String> problems = configuration.problems();
    problems.forEach(out::println);
    if (problems.isEmpty()) {
      Exposure.of(configuration.draft().config()).forEach(each -> out.println("warning: " + each));
      out.println(file + " is valid");
    } else {
      out.println(file + " has " + Configuration.count(problems));
    }
    return problems.isEmpty() ? Termination.OK : Termination.FAILED;
  }
}
