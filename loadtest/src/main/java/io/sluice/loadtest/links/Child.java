package io.sluice.loadtest.links;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Child process with lines as input and output, killed at the end of this process. One thread
 * awaits lines; any thread may call the other methods.
 */
final class Child implements AutoCloseable {
  private static final int MAX_LINES = 1000;
  private static final String END = "(ended)";

  private final String name;
  private final Process process;
  private final Writer input;
  private final Predicate<String> listener;
  private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MAX_LINES);
  private final Thread stopAtExit;
  private volatile String last = "it printed nothing";

  private Child(String name, Process process, Predicate<String> listener) {
    this.name = name;
    this.process = process;
    this.input = process.outputWriter(UTF_8);
    this.listener = listener;
    this.stopAtExit = new Thread(process::destroyForcibly, "stop-" + name);
    Runtime.getRuntime().addShutdownHook(stopAtExit);
  }

  /** Starts a command. */
  static Child start(String name, List<String> command) throws IOException {
    return start(name, command, line -> false);
  }

  /**
   * Starts a class of this program with this process's Java and class path.
   *
   * @param listener receives each line of output, on the thread {@code output-NAME}, and returns
   *     whether no {@link #await} shall see it
   */
  static Child java(String name, Class<?> main, List<String> arguments, Predicate<String> listener)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC"));
    if (Runtime.version().feature() >= 24) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return start(name, command, listener);
  }

  private static Child start(String name, List<String> command, Predicate<String> listener)
      throws IOException {
    Child child =
        new Child(name, new ProcessBuilder(command).redirectErrorStream(true).start(), listener);
    Thread reader = new Thread(child::readAll, "output-" + name);
    reader.setDaemon(true);
    reader.start();
    return child;
  }

  private void readAll() {
    try (BufferedReader output = process.inputReader(UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        last = line.isBlank() ? last : line;
        if (!listener.test(line)) {
          add(line);
        }
      }
    } catch (IOException e) {
      last = "its output cannot be read: " + e.getMessage();
    }
    lines.clear();
    lines.add(END);
  }

  /** Adds a line. The oldest one leaves a full queue, so that a long log hides no awaited line. */
  private void add(String line) {
    while (!lines.offer(line)) {
      lines.poll();
    }
  }

  /** Sends a line. Without effect after the end of the process, which {@link #await} reports. */
  void send(String line) {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      last = last + " (" + e.getMessage() + ")";
    }
  }

  /**
   * Waits for a line that matches, and discards those before it.
   *
   * @throws IOException after the limit or the end of the process; the message names both and the
   *     last line
   */
  Matcher await(Pattern pattern, Duration limit) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw failure("printed no line like '" + pattern + "' within " + limit.toSeconds() + " s");
      }
      if (line.equals(END)) {
        lines.add(END);
        throw failure("ended");
      }
      Matcher match = pattern.matcher(line);
      if (match.matches()) {
        return match;
      }
    }
  }

  /** Returns a failure that names the process and its last line. */
  IOException failure(String problem) {
    return new IOException("the process '" + name + "' " + problem + ": " + last);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the CPU time that the process has used. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Kills the process. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      Runtime.getRuntime().removeShutdownHook(stopAtExit);
    } catch (IllegalStateException e) {
      return; // The program is ending, and the hook kills the process, too.
    }
  }
}
