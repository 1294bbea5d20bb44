package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process that a test has started, and the lines that it has printed. For any thread. */
final class TestProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final Process process;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Thread reader;

  private TestProcess(Process process) {
    this.process = process;
    this.reader = new Thread(this::read, "test-process");
    reader.setDaemon(true);
    reader.start();
  }

  static TestProcess start(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // It lives for seconds, in which the last compiler costs more than it saves.
    builder.environment().put("SLUICE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    try {
      return new TestProcess(builder.start());
    } catch (IOException e) {
      throw new AssertionError(command + " can't be started", e);
    }
  }

  /** The first group of the first line that matches, as soon as there is one. */
  String awaitLine(String pattern) {
    Pattern wanted = Pattern.compile(pattern);
    return await("a line like " + pattern)
        .atMost(PATIENCE)
        .failFast(() -> assertThat(process.isAlive()).as("%s", lines).isTrue())
        .until(() -> find(wanted), group -> group != null);
  }

  /** The exit code, once the process has ended by itself. */
  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("%s", lines).isTrue();
    reader.join(PATIENCE.toMillis());
    return process.exitValue();
  }

  /** What it has printed so far. */
  List<String> lines() {
    return List.copyOf(lines);
  }

  private String find(Pattern wanted) {
    return lines.stream()
        .map(wanted::matcher)
        .filter(Matcher::matches)
        .map(matcher -> matcher.group(1))
        .findFirst()
        .orElse(null);
  }

  private void read() {
    try (BufferedReader from = process.inputReader()) {
      from.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      lines.add("(cannot be read: " + e + ")");
    }
  }

  /** Ends the process and what it has started, if they still run. */
  @Override
  public void close() {
    List<ProcessHandle> descendants = process.descendants().toList();
    process.destroyForcibly();
    process.onExit().join();
    descendants.forEach(ProcessHandle::destroyForcibly);
  }
}
