package io.sluice.gateway.cli.training;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Process of Sluice with the Java, class path and options of this process, and the last lines of
 * its output. A daemon thread reads the output. For any thread.
 */
final class ChildJvm implements AutoCloseable {
  private static final String MAIN = "io.sluice.gateway.cli.Sluice";
  private static final int RETAINED_LINES = 12;

  /** Lines of Java about the cache that name no error: its options, and classes left out. */
  private static final Pattern NOTE =
      Pattern.compile("Picked up JAVA_TOOL_OPTIONS: .*|\\[.*]\\[warning *]\\[(aot|cds).*");

  /** Options that two processes cannot share, or that would select another cache. */
  private static final Pattern EXCLUDED =
      Pattern.compile(
          "-XX:AOT.*|-Xshare.*|-XX:.*Archive.*|-Xlog.*|-agent.*|-javaagent.*"
              + "|-Dcom\\.sun\\.management\\..*|-Dsluice\\.aot-cache=.*");

  private final String name;
  private final Process process;
  private final Thread reader;
  private final Deque<String> lastLines = new ArrayDeque<>();

  private ChildJvm(String name, Process process, Consumer<String> onLine) {
    this.name = name;
    this.process = process;
    this.reader = new Thread(() -> read(onLine), name + "-output");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a process.
   *
   * @param name name of the process in error messages
   * @param options options in addition to those of this process
   * @param command command of Sluice with its arguments
   * @param onLine called by the reading thread for each line of output
   */
  static ChildJvm start(
      String name, List<String> options, List<String> command, Consumer<String> onLine)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(commandLine(options, command));
    // Their options are among those of this process.
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    builder.environment().remove("_JAVA_OPTIONS");
    return new ChildJvm(name, builder.redirectErrorStream(true).start(), onLine);
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

  private void read(Consumer<String> onLine) {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        retain(line);
        onLine.accept(line);
      }
    } catch (IOException e) {
      retain("(the output cannot be read: " + e + ")");
    }
  }

  private synchronized void retain(String line) {
    if (NOTE.matcher(line).matches()) {
      return;
    }
    lastLines.add(line);
    if (lastLines.size() > RETAINED_LINES) {
      lastLines.remove();
    }
  }

  /** Returns an exception with the last lines of the output. */
  IOException failure(String problem, Throwable cause) {
    String output;
    synchronized (this) {
      output = String.join(System.lineSeparator(), lastLines);
    }
    String message = name + " " + problem;
    return new IOException(
        output.isEmpty() ? message : message + "; its last output:\n" + output, cause);
  }

  /** Returns the process, for signals and its end. */
  ProcessHandle handle() {
    // Process.destroy would close the output that is read until the end.
    return process.toHandle();
  }

  /** Waits for the end of the process and of its output, and returns the exit code. */
  int awaitEnd(Duration limit) throws IOException, InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      IOException failure = failure("did not end within " + limit.toSeconds() + " s", null);
      close();
      throw failure;
    }
    reader.join(limit.toMillis());
    return process.exitValue();
  }

  /** Kills the process and its descendants. */
  @Override
  public void close() {
    List<ProcessHandle> descendants = handle().descendants().toList();
    handle().destroyForcibly();
    descendants.forEach(ProcessHandle::destroyForcibly);
  }
}
