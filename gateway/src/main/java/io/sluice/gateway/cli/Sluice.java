package io.sluice.gateway.cli;

import static java.util.stream.Collectors.joining;

import io.sluice.gateway.StartCheck;
import io.sluice.gateway.cli.admin.ClusterCommand;
import io.sluice.gateway.cli.admin.DurablesCommand;
import io.sluice.gateway.cli.admin.LiveCommands;
import io.sluice.gateway.cli.admin.QueryCommands;
import io.sluice.gateway.cli.admin.RevokeCommand;
import io.sluice.gateway.cli.admin.SessionCommands;
import io.sluice.gateway.cli.admin.TailCommand;
import io.sluice.gateway.cli.command.BrokerChild;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.CommandGroup;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.demo.BrokerCommand;
import io.sluice.gateway.cli.demo.DemoCommand;
import io.sluice.gateway.cli.demo.FeedCommand;
import io.sluice.gateway.cli.doctor.DoctorCommand;
import io.sluice.gateway.cli.doctor.ProbeCommand;
import io.sluice.gateway.cli.logging.Logging;
import io.sluice.gateway.cli.training.AotCacheCommand;
import io.sluice.gateway.config.NearestKey;
import io.sluice.gateway.http.Pages;
import io.sluice.gateway.node.StartFailure;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** Command line of Sluice. Used by the main thread only. */
@Command(
    name = "sluice",
    header = "Fans the topics of a broker out to browsers and apps over WebSocket.",
    footer = {"", Sluice.DETAILS + " To see it work: 'sluice demo'"})
public final class Sluice extends CommandGroup {
  static final String DETAILS = "For details: 'sluice COMMAND --help'.";

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Also print the stack trace of an error.")
  private boolean verbose;

  /** Archives of commands that the class path lacks, as messages. */
  private final Set<String> missing = new LinkedHashSet<>();

  private Sluice() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    Logging.start();
    Termination termination = new Termination();
    CommandLine commands = commandLine(NodeStarter::startGateway, termination);
    omitMissing(commands, BrokerChild.isInstalled());
    termination.exit(commands.execute(arguments));
  }

  /** Adapts the help to an installation without the demo or the embedded broker. */
  static void omitMissing(CommandLine commands, boolean hasBroker) {
    CommandLine demo = commands.getSubcommands().get("demo");
    if (demo == null) {
      usage(commands).footer("", DETAILS);
    } else if (!hasBroker) {
      usage(commands.getSubcommands().get("broker")).hidden(true);
      usage(demo)
          .header(
              "Show live prices from Kafka or NATS (--source): a market feed, nodes and a page.");
      usage(commands).footer("", DETAILS + " To see it work: 'sluice demo --source nats'");
    }
  }

  private static UsageMessageSpec usage(CommandLine command) {
    return command.getCommandSpec().usageMessage();
  }

  static CommandLine commandLine(NodeStarter nodes, Termination termination) {
    Sluice sluice = new Sluice();
    CommandLine commands = new CommandLine(sluice);
    sluice.add(
        commands,
        () ->
            List.of(
                new RunCommand(nodes, termination),
                new CheckConfigCommand(),
                new ProviderCheckCommand()));
    sluice.add(
        commands,
        () ->
            List.of(
                new DemoCommand(
                    (config, faults) -> nodes.start(config, Pages.demo(faults)),
                    StartCheck.CHECKS,
                    termination),
                new FeedCommand(termination)));
    sluice.add(
        commands,
        () ->
            List.of(
                new DoctorCommand(Path.of("/"), StartCheck.CHECKS),
                new ProbeCommand(),
                new RevokeCommand(),
                new DurablesCommand(),
                new ClusterCommand()));
    sluice.add(commands, () -> List.of(new BrokerCommand(termination)));
    sluice.add(commands, () -> List.of(new AotCacheCommand(termination)));
    sluice.add(commands, () -> List.of(new DocsCommand(termination)));
    sluice.add(commands, () -> QueryCommands.all());
    sluice.add(commands, () -> SessionCommands.all());
    sluice.add(commands, () -> List.of(new TailCommand()));
    sluice.add(commands, () -> LiveCommands.all());
    return commands
        .setUsageHelpWidth(100)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setAbbreviatedOptionsAllowed(false)
        .setParameterExceptionHandler(sluice::onUsageError)
        .setExecutionStrategy(Sluice::execute)
        .setExecutionExceptionHandler(sluice::onFailure);
  }

  /**
   * Adds commands, unless the archive of their module is missing.
   *
   * @param module a lambda, because a method reference loads its class outside of this method
   */
  private void add(CommandLine commands, Supplier<List<?>> module) {
    try {
      module.get().forEach(commands::addSubcommand);
    } catch (NoClassDefFoundError e) {
      missing.add(StartFailure.missing(e));
    }
  }

  // Commands use modules that the class path may lack.
  private static int execute(ParseResult parsed) {
    try {
      return new RunLast().execute(parsed);
    } catch (NoClassDefFoundError e) {
      CommandFailure failure = new CommandFailure(StartFailure.missing(e), e);
      List<CommandLine> commands = parsed.asCommandLineList();
      throw new ExecutionException(
          commands.get(commands.size() - 1), failure.getMessage(), failure);
    }
  }

  private int onUsageError(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    err.println(name + ": " + problem(e));
    err.println("Try '" + name + " --help'.");
    return Termination.USAGE;
  }

  private String problem(ParameterException e) {
    return e instanceof UnmatchedArgumentException unmatched
        ? unknown(unmatched.getUnmatched().get(0), e.getCommandLine().getCommandSpec())
        : lowerFirst(e.getMessage());
  }

  /** Returns the message for an unknown argument, with the allowed ones. */
  private String unknown(String argument, CommandSpec spec) {
    Set<String> options = new TreeSet<>(spec.optionsMap().keySet());
    Set<String> commands = spec.subcommands().keySet();
    if (argument.startsWith("-")) {
      String option = argument.replaceFirst("=.*", "");
      return "unknown option \"" + option + "\"" + allowed(option, options, options);
    }
    if (commands.isEmpty()) {
      return "unexpected argument \"" + argument + "\"; expected " + operands(spec);
    }
    Set<String> known = new TreeSet<>(options);
    known.addAll(commands);
    String others = missing.stream().map(each -> "; another one " + each).collect(joining());
    return "unknown command \"" + argument + "\"" + allowed(argument, known, commands) + others;
  }

  /** Returns the nearest name, or all names if none is near. */
  private static String allowed(String argument, Set<String> known, Set<String> all) {
    String hint = NearestKey.hint(argument, known);
    return hint.isEmpty() ? "; expected one of " + String.join(", ", all) : hint;
  }

  private static String operands(CommandSpec spec) {
    String labels =
        spec.positionalParameters().stream()
            .map(PositionalParamSpec::paramLabel)
            .collect(joining(" "));
    return labels.isEmpty() ? "options only" : labels + " only";
  }

  private int onFailure(Exception e, CommandLine command, ParseResult parsed) {
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().println(name + ": " + (e instanceof CommandFailure ? e.getMessage() : e));
    if (verbose) {
      e.printStackTrace(command.getErr());
    }
    return Termination.FAILED;
  }

  private static String lowerFirst(String text) {
    boolean word = text.length() > 1 && Character.isLowerCase(text.charAt(1));
    return word ? Character.toLowerCase(text.charAt(0)) + text.substring(1) : text;
  }
}
