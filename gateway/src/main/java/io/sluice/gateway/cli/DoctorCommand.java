package io.sluice.gateway.cli;

import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.command.Version;
import io.sluice.gateway.cli.doctor.Doctor;
import io.sluice.gateway.cli.doctor.Finding.Verdict;
import io.sluice.gateway.cli.doctor.JavaFacts;
import io.sluice.gateway.cli.doctor.Machine;
import io.sluice.gateway.cli.doctor.Report;
import io.sluice.gateway.cli.doctor.Requirements;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command that checks a machine's limits for a number of clients. Used by the main thread only. */
@Command(
    name = "doctor",
    header = "Check whether this machine has the capacity for a number of clients.",
    description = {
      "Checks kernel settings, process limits, memory and Java, and prints each necessary change"
          + " with its file and line. It changes nothing.",
      "Run it in the environment of the node: as the same user, in the same container."
    },
    sortOptions = false,
    exitCodeListHeading = HelpText.EXIT_CODES,
    exitCodeList = {
      "0:no change is necessary",
      "1:a change is necessary, or the configuration is invalid",
      HelpText.INVALID_COMMAND_LINE
    },
    footerHeading = HelpText.EXAMPLE,
    footer = "  sluice doctor --clients 100000",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class DoctorCommand implements Callable<Integer> {
  private static final int DEFAULT_CLIENTS = 10_000;
  private static final int MAX_CLIENTS = 10_000_000;
  private static final int MAX_RATE = 10_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description =
          "Number of clients (default: limits.per-node.connections of the file; 10000 without a"
              + " file).")
  private Integer clients;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Messages per second of the busiest topic or pattern, such as the largest rate of 'sluice"
              + " topics'; checks that history.messages is longer than the absence of a client.")
  private double rate;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file of the node (YAML); without it the defaults apply.")
  private Path file;

  @Option(names = "--json", description = "Print a JSON object instead of lines for people.")
  private boolean json;

  private final Machine machine;

  /**
   * @param root the folder with proc and sys
   */
  DoctorCommand(Path root) {
    this.machine = new Machine(root);
  }

  @Override
  public Integer call() {
    if (clients != null && (clients < 1 || clients > MAX_CLIENTS)) {
      throw new ParameterException(
          spec.commandLine(),
          "--clients " + clients + " is out of bounds; expected 1 to " + MAX_CLIENTS);
    }
    if (!(rate >= 0 && rate <= MAX_RATE)) {
      throw new ParameterException(
          spec.commandLine(), "--rate " + rate + " is out of bounds; expected 0 to " + MAX_RATE);
    }
    // The machine does not depend on credentials, which the file need not contain yet.
    Config config =
        new Configuration(file).with(AuthSettings.ANONYMOUS, true, "sluice doctor").validated();
    Requirements requirements = new Requirements(number(config), rate, config);
    Doctor doctor = Doctor.examine(machine, requirements, JavaFacts.current());
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Report.json(doctor).encodePrettily());
    } else {
      Report.lines(doctor).forEach(out::println);
    }
    out.flush();
    return doctor.count(Verdict.CHANGE) == 0 ? Termination.OK : Termination.FAILED;
  }

  private int number(Config config) {
    if (clients != null) {
      return clients;
    }
    return file == null ? DEFAULT_CLIENTS : config.get(LimitSettings.CONNECTIONS);
  }
}
