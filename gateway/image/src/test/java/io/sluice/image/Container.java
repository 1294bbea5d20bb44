package io.sluice.image;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Process in the unpacked image, and the lines that it has printed. For one thread. */
final class Container implements AutoCloseable {
  private static final Path SCRIPT = Path.of("src", "test", "scripts", "run-container.sh");
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Process process;
  private final List<String> output = new CopyOnWriteArrayList<>();
  private final Thread reader;

  private Container(Process process) {
    this.process = process;
    this.reader = new Thread(this::read, "container-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Unpacked image that can be started, with the folder to mount at /etc/sluice. */
  record Machine(BuiltImage image, Path root, Path configuration, Path environment) {
    static Machine prepare(BuiltImage image, Path configuration) throws Exception {
      Path root = image.root();
      // A container runtime creates these two.
      Files.createFile(root.resolve("etc/hosts"));
      Files.createFile(root.resolve("etc/resolv.conf"));
      List<String> variables = new ArrayList<>();
      image.config().at("/config/Env").forEach(each -> variables.add(each.textValue()));
      // The process runs for seconds, too briefly for the optimizing compiler to pay off.
      variables.add("SLUICE_JAVA_OPTS=-XX:TieredStopAtLevel=1");
      Path environment = configuration.resolveSibling("environment");
      Files.write(environment, variables);
      return new Machine(image, root, configuration, environment);
    }

    /** Starts the command of the image's configuration. */
    Container start() throws IOException {
      JsonNode run = image.config().path("config");
      List<String> command = new ArrayList<>();
      run.path("Entrypoint").forEach(each -> command.add(each.textValue()));
      run.path("Cmd").forEach(each -> command.add(each.textValue()));
      return start(command.toArray(String[]::new));
    }

    Container start(String... program) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(SCRIPT.toString());
      command.addAll(List.of(root.toString(), configuration.toString(), environment.toString()));
      command.addAll(List.of(program));
      return new Container(new ProcessBuilder(command).redirectErrorStream(true).start());
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      lines.lines().forEach(output::add);
    } catch (IOException | UncheckedIOException e) {
      output.add("(cannot be read: " + e + ")");
    }
  }

  /** Waits for the first line that matches. */
  Matcher awaitLine(String pattern) {
    Pattern expected = Pattern.compile(pattern);
    return await("a line like " + pattern)
        .atMost(TIMEOUT)
        .conditionEvaluationListener(
            condition -> {
              if (!process.isAlive() && find(expected) == null) {
                throw new AssertionError("ended before a line like " + pattern + ": " + output);
              }
            })
        .until(() -> find(expected), match -> match != null);
  }

  private Matcher find(Pattern expected) {
    return output.stream().map(expected::matcher).filter(Matcher::matches).findFirst().orElse(null);
  }

  /** Sends SIGTERM to process 1 of the container, as a container runtime does. */
  void sigterm() {
    List<ProcessHandle> children = process.children().toList();
    assertThat(children).hasSize(1);
    children.get(0).destroy();
  }

  /** Waits for the process to exit and returns its exit code. */
  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(TIMEOUT.toSeconds(), SECONDS)).as("ended: %s", output).isTrue();
    reader.join(TIMEOUT.toMillis());
    return process.exitValue();
  }

  List<String> output() {
    return List.copyOf(output);
  }

  /** Kills the process. Process 1 ends with the process that started it. */
  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
