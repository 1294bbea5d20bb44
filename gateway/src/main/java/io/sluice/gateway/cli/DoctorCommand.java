package io.sluice.gateway.cli;

import io.sluice.gateway.cli.doctor.Doctor;
import io.sluice.gateway.cli.doctor.Finding.Verdict;
import io.sluice.gateway.cli.doctor.JavaFacts;
import io.sluice.gateway.cli.doctor.Machine;
import io.sluice.gateway.cli.doctor.Need;
import io.sluice.gateway.cli.doctor.Report;
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

/** Says what keeps a machine from holding its clients. Used by the main thread only. */
@Command(
    name = "doctor",
    header = "Check whether this machine can hold the clients that it is meant for.",
    description = {
      "Looks at the kernel's settings, the limits of processes, memory and Java, and says what to",
      "change, in which file and by which line. Changes nothing itself. Run it as the node is run:",
      "by the same user, in the same container. Exit code 0: nothing is to change; 1: something is."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class DoctorCommand implements Callable<Integer> {
  private static final int USUAL_CLIENTS = 10_000;
  private static final int MOST_CLIENTS = 10_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = "How many (limits.per-node.connections of the file; 10000 without one).")
  private Integer clients;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration of the node, YAML; without it the defaults.")
  private Path file;

  @Option(names = "--json", description = "Print a JSON object instead of lines for people.")
  private boolean json;

  private final Machine machine;

  /**
   * @param root the folder that holds proc and sys
   */
  DoctorCommand(Path root) {
    this.machine = new Machine(root);
  }

  @Override
  public Integer call() {
    if (clients != null && (clients < 1 || clients > MOST_CLIENTS)) {
      throw new ParameterException(
          spec.commandLine(),
          "--clients " + clients + " is out of bounds; expected 1 to " + MOST_CLIENTS);
    }
    Config config = new Configuration(file).complete();
    Doctor doctor = Doctor.examine(machine, new Need(number(config), config), JavaFacts.ofThis());
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
    return file == null ? USUAL_CLIENTS : config.get(LimitSettings.CONNECTIONS);
  }
}
