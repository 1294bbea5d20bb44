package io.sluice.gateway.cli;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Script of {@code js-client} that prints its progress, such as checks of pages in Chromium. Some
 * lines request an action and are answered when it is done.
 */
final class BrowserScript {
  private static final Path FOLDER = Path.of("..", "js-client");

  private final Process process;
  private final List<String> said = new ArrayList<>();

  private BrowserScript(Process process) {
    this.process = process;
  }

  /**
   * Runs a script to its end, which has to be a good one.
   *
   * @param name its path in {@code js-client}
   * @param requests what to do at which line; the answer is what it returns
   * @return the lines that it has printed
   */
  static List<String> run(String name, Map<String, Callable<String>> requests, String... arguments)
      throws Exception {
    return run(Map.of(), name, requests, arguments);
  }

  /** Runs a script without requests, with additional environment variables. */
  static List<String> runWith(Map<String, String> environment, String name, String... arguments)
      throws Exception {
    return run(environment, name, Map.of(), arguments);
  }

  private static List<String> run(
      Map<String, String> environment,
      String name,
      Map<String, Callable<String>> requests,
      String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("node", FOLDER.resolve(name).toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    BrowserScript script = new BrowserScript(builder.start());
    try {
      return script.follow(requests);
    } finally {
      script.process.destroy(); // the browser ends when its pipe to the script does
    }
  }

  private List<String> follow(Map<String, Callable<String>> requests) throws Exception {
    try (BufferedReader lines = process.inputReader();
        BufferedWriter answers = process.outputWriter()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
        if (requests.containsKey(line)) {
          answer(answers, requests.get(line).call());
        }
      }
    }
    assertThat(process.waitFor(60, SECONDS)).as("it ends after %s", said).isTrue();
    assertThat(process.exitValue()).as("its exit status after %s", said).isZero();
    return said;
  }

  private static void answer(BufferedWriter answers, String line) throws IOException {
    answers.write(line + "\n");
    answers.flush();
  }
}
