package io.sluice.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Process of {@code bin/sluice} and the lines that it printed. For any thread. */
public final class SluiceProcess implements AutoCloseable {
  public static final Path LAUNCHER = Path.of("bin", "sluice");

  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Process process;
  private final List<String> output = new CopyOnWriteArrayList<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final List<Thread> readers;

  private SluiceProcess(Process process) {
    this.process = process;
    this.readers =
        List.of(
            reader(process.inputReader(), output, "out"),
            reader(process.errorReader(), errors, "err"));
  }

  public static SluiceProcess start(String... arguments) {
    return start(List.of(LAUNCHER.toString()), arguments);
  }

  /**
   * Starts a launcher.
   *
   * @param launcher the script, with a launcher before it if necessary
   */
  public static SluiceProcess start(List<String> launcher, String... arguments) {
    List<String> command = new ArrayList<>(SignalDefaults.command());
    command.addAll(launcher);
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putIfAbsent("SLUICE_JAVA_OPTS", javaOptions());
    try {
      return new SluiceProcess(builder.start());
    } catch (IOException e) {
      throw new AssertionError(command + " can't be started", e);
    }
  }

  /** Returns the value of {@code SLUICE_JAVA_OPTS} for processes that run for a few seconds. */
  public static String javaOptions() {
    // In a process of a few seconds C2 and the threads of G1 cost more than they save.
    List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    options.addAll(ClassArchives.options("node"));
    return String.join(" ", options);
  }

  private static Thread reader(BufferedReader from, List<String> to, String name) {
    Thread reader =
        new Thread(
            () -> {
              try (from) {
                from.lines().forEach(to::add);
              } catch (IOException | UncheckedIOException e) { // also if the process is destroyed
                to.add("(cannot be read: " + e + ")");
              }
            },
            "sluice-" + name);
    reader.setDaemon(true);
    reader.start();
    return reader;
  }

  /** Waits for a line of standard output that matches, and returns the match. */
  public Matcher awaitLine(String pattern) {
    Pattern wanted = Pattern.compile(pattern);
    return await("a line like " + pattern)
        .atMost(TIMEOUT)
        .conditionEvaluationListener(condition -> requireAlive(pattern))
        .until(() -> find(wanted), match -> match != null);
  }

  private Matcher find(Pattern wanted) {
    return output.stream().map(wanted::matcher).filter(Matcher::matches).findFirst().orElse(null);
  }

  private void requireAlive(String pattern) {
    if (!process.isAlive() && find(Pattern.compile(pattern)) == null) {
      throw new AssertionError(
          "ended with " + process.exitValue() + " before a line like " + pattern + ": " + errors);
    }
  }

  /** Waits until the process ends by itself, and returns its exit code. */
  public int exitCode() {
    return exitCode(TIMEOUT);
  }

  /** Waits for a limited time until the process ends by itself, and returns its exit code. */
  public int exitCode(Duration limit) {
    try {
      assertThat(process.waitFor(limit.toSeconds(), SECONDS))
          .as("ended within %s; so far: %s %s", limit, output, errors)
          .isTrue();
      for (Thread reader : readers) {
        reader.join(TIMEOUT.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
    return process.exitValue();
  }

  public List<String> output() {
    return List.copyOf(output);
  }

  public List<String> errors() {
    return List.copyOf(errors);
  }

  /** Returns its only child process, the broker. */
  public ProcessHandle child() {
    List<ProcessHandle> children = process.children().toList();
    assertThat(children).hasSize(1);
    return children.get(0);
  }

  public long pid() {
    return process.pid();
  }

  /** Sends SIGTERM. {@link Process#destroy} would also close the streams that are read. */
  public void sigterm() {
    process.toHandle().destroy();
  }

  public void sigkill() {
    process.toHandle().destroyForcibly();
  }

  /** Sends a signal by name, such as {@code STOP}. */
  public void signal(String name) {
    BrokerJvm.signal(process.pid(), name);
  }

  public static HttpResponse<String> get(String url) {
    try {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT).build();
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(url, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  public static void awaitEnd(ProcessHandle handle) {
    await().atMost(TIMEOUT).until(() -> !handle.isAlive());
  }

  public static void awaitStatus(String url, int status) {
    await().atMost(TIMEOUT).untilAsserted(() -> assertStatus(url, status));
  }

  private static void assertStatus(String url, int status) {
    HttpResponse<String> response = get(url);
    assertThat(response.statusCode()).as("%s: %s", url, response.body()).isEqualTo(status);
  }

  /** Kills the process and its descendants. */
  @Override
  public void close() {
    List<ProcessHandle> descendants = process.descendants().toList();
    process.destroyForcibly();
    process.onExit().join();
    descendants.forEach(ProcessHandle::destroyForcibly);
  }
}
