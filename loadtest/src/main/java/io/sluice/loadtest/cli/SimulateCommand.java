package io.sluice.loadtest.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Command that runs a Gatling simulation in a separate JVM, because Gatling ends its process. Used
 * by the main thread only.
 */
@Command(
    name = "simulate",
    header = "Measure a gateway with a Gatling simulation.",
    description = {
      "Ticker: all clients stay connected. Storm: all clients reconnect at once. Ramp: the load"
          + " grows until a limit is exceeded. Churn: clients connect and disconnect permanently.",
      "The guide to load tests lists the parameters of each simulation. Measurement and reports"
          + " are written to -Dfolder."
    },
    sortOptions = false,
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:the simulation ended, and all checks passed",
      "1:a check failed, a parameter is invalid, or the simulation could not be completed",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice simulate Ticker -Durl=ws://localhost:8080/ws -Dclients=1000 -DmaxP99=50",
    mixinStandardHelpOptions = true)
final class SimulateCommand implements Callable<Integer> {
  /** System property with the folder of the simulations and of Gatling's libraries. */
  private static final String FOLDER = "sluice.simulations";

  /** System property of a simulation with the names of the given parameters. */
  private static final String NAMES = "sluice.parameters";

  private static final int FIRST_WITH_WARNINGS = 24;

  /** Gatling's exit code after failed assertions. */
  private static final int ASSERTIONS_FAILED = 2;

  /** End of the line of Gatling's log that precedes the stack trace of a failure. */
  private static final String CRASHED = "Gatling$ Run crashed";

  /** Beginning of a line of that stack trace. */
  private static final String INVALID = "Caused by: java.lang.IllegalArgumentException: ";

  /** Simulations by their class names. */
  enum Simulation {
    TICKER("Ticker"),
    STORM("Storm"),
    RAMP("Ramp"),
    CHURN("Churn");

    private final String type;

    Simulation(String type) {
      this.type = type;
    }

    @Override
    public String toString() {
      return type;
    }
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NAME", description = "Simulation: ${COMPLETION-CANDIDATES}.")
  private Simulation simulation;

  @Option(
      names = "-D",
      paramLabel = "PARAMETER=VALUE",
      description = "Parameter of the simulation, such as -Dclients=1000; may be repeated.")
  private Map<String, String> parameters = new LinkedHashMap<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command()).redirectErrorStream(true).start();
    Thread stop = new Thread(process::destroy, "simulation-stop");
    Runtime.getRuntime().addShutdownHook(stop);
    List<String> crash = print(process);
    int code = process.waitFor();
    Runtime.getRuntime().removeShutdownHook(stop);
    if (code != ExitCode.OK && code != ASSERTIONS_FAILED) {
      throw failure(code, crash);
    }
    return code == ExitCode.OK ? ExitCode.OK : ExitCode.FAILED;
  }

  /** Prints the output of the simulation, except the stack trace of a crash, which it returns. */
  private List<String> print(Process process) throws IOException {
    List<String> crash = new ArrayList<>();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!crash.isEmpty() || line.endsWith(CRASHED)) {
          crash.add(line);
        } else {
          spec.commandLine().getOut().println(line);
        }
      }
    }
    return crash;
  }

  /** Returns the message of an invalid parameter, or the whole stack trace of another failure. */
  private LoadTestFailure failure(int code, List<String> crash) {
    String cause =
        crash.stream()
            .filter(line -> line.startsWith(INVALID))
            .map(line -> line.substring(INVALID.length()))
            .findFirst()
            .orElse("ended with " + code + "\n" + String.join("\n", crash));
    return new LoadTestFailure(simulation + ": " + cause.strip());
  }

  private List<String> command() throws IOException {
    Path libraries = libraries();
    Map<String, String> all = new LinkedHashMap<>(parameters);
    all.putIfAbsent("folder", "measurements");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    if (Runtime.version().feature() >= FIRST_WITH_WARNINGS) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    all.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.add("-D" + NAMES + "=" + String.join(",", parameters.keySet()));
    command.add("-cp");
    command.add(
        System.getProperty("java.class.path") + File.pathSeparator + libraries.resolve("*"));
    command.addAll(List.of("io.gatling.app.Gatling", "--no-reports"));
    command.addAll(List.of("--simulation", "io.sluice.loadtest." + simulation));
    command.addAll(List.of("--results-folder", Path.of(all.get("folder"), "gatling").toString()));
    return command;
  }

  private static Path libraries() {
    String folder = System.getProperty(FOLDER, "");
    if (folder.isEmpty() || !Files.isDirectory(Path.of(folder))) {
      throw new LoadTestFailure(
          "the simulations are missing; expected Gatling and them in '"
              + folder
              + "': use bin/sluice");
    }
    return Path.of(folder);
  }
}
