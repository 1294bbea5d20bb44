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

/** Tells everything that is wrong with a file. Used by the main thread only. */
@Command(
    name = "check-config",
    header = "Check a configuration file and list every problem in it.",
    description = {
      "Reads every file that 'sluice run' would read at its start, connects to nobody and",
      "writes nothing. Warns about access without a credential, a rule or encryption.",
      "Exit code 0: the file is fine; 1: it is not."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class CheckConfigCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The file, YAML.")
  private Path file;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    ConfigDraft draft = ConfigFile.read(file, System::getenv);
    List<Problem> problems = StartCheck.problems(draft);
    problems.forEach(out::println);
    if (problems.isEmpty()) {
      Exposure.of(draft.config()).forEach(each -> out.println("warning: " + each));
      out.println(file + " is fine" + reservation(draft));
    } else {
      out.println(file + " has " + Configuration.count(problems));
    }
    return problems.isEmpty() ? Termination.OK : Termination.FAILED;
  }

  /** The URL may also come from the command line, so a file without one is not wrong. */
  private static String reservation(ConfigDraft draft) {
    boolean complete = !Configuration.needsBrokerUrl(draft.config());
    return complete ? "" : "; it has no broker.url, so 'sluice run' needs --broker";
  }
}
