package io.sluice.gateway.cli;

import io.sluice.gateway.config.NearestKey;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line of Sluice and its exit codes. Used by the main thread only. */
@Command(
    name = "sluice",
    header = "Fans the topics of a JMS broker out to browsers and apps over WebSocket.",
    mixinStandardHelpOptions = true,
    versionProvider = Sluice.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    footer = {"", "'sluice COMMAND --help' tells more. To see it work: sluice demo"})
public final class Sluice implements Runnable {
  /** All went well. */
  static final int OK = 0;

  /** The command could not do its work. */
  static final int FAILED = 1;

  /** The command line itself is wrong. */
  static final int USAGE = 2;

  @Spec private CommandSpec spec;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "On an error, also print where in the program it happened.")
  private boolean verbose;

  private Sluice() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    Logging.start();
    Termination termination = new Termination();
    termination.exit(commandLine(Node::startGateway, termination).execute(arguments));
  }

  static CommandLine commandLine(Node.Starter nodes, Termination termination) {
    Sluice sluice = new Sluice();
    return new CommandLine(sluice)
        .addSubcommand(new RunCommand(nodes, termination))
        .addSubcommand(new CheckConfigCommand())
        .addSubcommand(new DemoCommand(nodes, termination))
        .addSubcommand(new FeedCommand(termination))
        .addSubcommand(new DoctorCommand(Path.of("/")))
        .addSubcommand(new ProbeCommand())
        .addSubcommand(new RevokeCommand())
        .addSubcommand(new ClusterCommand())
        .addSubcommand(new BrokerCommand(termination))
        .setUsageHelpWidth(100)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setAbbreviatedOptionsAllowed(false)
        .setParameterExceptionHandler(Sluice::onWrongUse)
        .setExecutionExceptionHandler(sluice::onFailure);
  }

  /** Without a command: how to use it. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  private static int onWrongUse(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    err.println(name + ": " + lowerFirst(e.getMessage()) + hint(e));
    err.println("Try '" + name + " --help'.");
    return USAGE;
  }

  /** The option or the command that was meant, if one is near. */
  private static String hint(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return "";
    }
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    Set<String> known = new HashSet<>(spec.optionsMap().keySet());
    known.addAll(spec.subcommands().keySet());
    return NearestKey.hint(unmatched.getUnmatched().get(0), known);
  }

  private int onFailure(Exception e, CommandLine command, ParseResult parsed) {
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().println(name + ": " + (e instanceof CommandFailure ? e.getMessage() : e));
    if (verbose) {
      e.printStackTrace(command.getErr());
    }
    return FAILED;
  }

  private static String lowerFirst(String text) {
    boolean word = text.length() > 1 && Character.isLowerCase(text.charAt(1));
    return word ? Character.toLowerCase(text.charAt(0)) + text.substring(1) : text;
  }

  /** The version that the build wrote into the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String built = Sluice.class.getPackage().getImplementationVersion();
      String java = System.getProperty("java.version");
      return new String[] {
        "sluice " + (built == null ? "(not packaged)" : built) + ", Java " + java
      };
    }
  }
}
