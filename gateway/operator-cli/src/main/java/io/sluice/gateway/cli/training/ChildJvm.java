package io.sluice.gateway.cli.training;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Process of Sluice with the Java, class path and options of this process; it writes its output to
 * a file. For any thread.
 */
final class ChildJvm implements AutoCloseable {
  private static final String MAIN = "io.sluice.gateway.cli.Sluice";
  private static final int QUOTED_LINES = 12;

  /** Lines of Java about the cache that name no error: its options, and classes left out. */
  private static final Pattern NOTE =
      Pattern.compile("Picked up JAVA_TOOL_OPTIONS: .*|\\[.*]\\[warning *]\\[(aot|cds).*");

  /** Options that two processes cannot share, or that would select another cache. */
  private static final Pattern EXCLUDED =
      Pattern.compile(
          "-XX:AOT.*|-Xshare.*|-XX:.*Archive.*|-Xlog.*|-agent.*|-javaagent.*"
              + "|-Dcom\\.sun\\.management\\..*|-Dsluice\\.aot-cache=.*");

  private final String name;
  private final Path log;
  private final Process process;

  /**
   * Starts a process.
   *
   * @param name name of the process in error messages
   * @param options options in addition to those of this process
   * @param command command of Sluice with its arguments
   */
  ChildJvm(String name, Path log, List<String> options, List<String> command) throws IOException {
    this.name = name;
    this.log = log;
    ProcessBuilder builder = new ProcessBuilder(commandLine(options, command));
    // Their options are among those of this process.
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    builder.environment().remove("_JAVA_OPTIONS");
    this.process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  private static List<String> commandLine(List<String> options, List<String> command) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !EXCLUDED.matcher(option).matches())
        .forEach(line::add);
    line.addAll(options);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN));
    line.addAll(command);
    return line;
  }

  /** Returns the output so far. */
  String output() throws IOException {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
  }

  /** Returns an exception with the last lines of the output. */
  IOException failure(String problem, Throwable cause) throws IOException {
    List<String> lines = output().lines().filter(line -> !NOTE.matcher(line).matches()).toList();
    List<String> last = lines.subList(Math.max(0, lines.size() - QUOTED_LINES), lines.size());
    String quote = last.isEmpty() ? "" : "; its last output:\n" + String.join("\n", last);
    return new IOException(name + " " + problem + quote, cause);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends SIGTERM. */
  void terminate() {
    process.destroy();
  }

  /** Waits for the end of the process and returns the exit code. */
  int awaitEnd(Duration limit) throws IOException, InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      close();
      throw failure("did not end within " + limit.toSeconds() + " s", null);
    }
    return process.exitValue();
  }

  /** Kills the process and its descendants. */
  @Override
  public void close() {
    List<ProcessHandle> descendants = process.descendants().toList();
    process.destroyForcibly();
    descendants.forEach(ProcessHandle::destroyForcibly);
  }
}
