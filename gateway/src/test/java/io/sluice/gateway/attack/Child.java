package io.sluice.gateway.attack;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Child process that answers each line with a line. Bound to one thread. */
final class Child implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final PrintStream in;

  private Child(Process process) {
    this.process = process;
    this.out = process.inputReader();
    this.in = new PrintStream(process.getOutputStream(), true);
  }

  static Child start(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    try {
      return new Child(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a class of this class path in a separate virtual machine.
   *
   * @param before command prefix, such as {@code nice}
   */
  static Child java(List<String> before, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(arguments);
    return start(command);
  }

  /** Writes a line and reads the answer. */
  String ask(String line) {
    in.println(line);
    return read();
  }

  /** Reads lines up to one that matches. */
  Matcher await(String pattern) {
    Pattern wanted = Pattern.compile(pattern);
    while (true) {
      Matcher matcher = wanted.matcher(read());
      if (matcher.matches()) {
        return matcher;
      }
    }
  }

  private String read() {
    try {
      String line = out.readLine();
      if (line == null) {
        throw new IllegalStateException(process.info().command() + " has ended");
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Terminates the process. Its ports are closed when this returns. */
  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
