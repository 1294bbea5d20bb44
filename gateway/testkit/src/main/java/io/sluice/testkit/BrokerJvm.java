package io.sluice.testkit;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Child JVM with a broker, which prints its port when it is ready. Bound to the test's thread. */
public final class BrokerJvm {
  private static final Path ARTEMIS = Path.of("gateway", "embedded-broker", "target");
  private static final String ARTEMIS_MAIN = "io.sluice.broker.EmbeddedBroker";
  private static final String READY = "BROKER READY ";
  private static final String FAILED = "BROKER FAILED ";

  /**
   * Only C1 and no threads for the collector: processes of a few seconds do not recover the cost.
   */
  static final List<String> OPTIONS =
      List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private final Process process;
  private final int port;
  private boolean paused;

  private BrokerJvm(Process process) throws IOException {
    this.process = process;
    this.port = readPort(process.inputReader());
  }

  /** Starts the embedded Artemis, as the demo does. */
  public static BrokerJvm artemis(String... options) {
    return artemis(List.of(), options);
  }

  /**
   * Starts it on another host.
   *
   * @param launcher command that starts a program there
   */
  public static BrokerJvm artemis(List<String> launcher, String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.add(ARTEMIS_MAIN);
    arguments.add("--until-stdin-closes");
    arguments.addAll(List.of(options));
    Path artemis = embeddedBroker();
    String classPath = artemis.resolve("*") + File.pathSeparator + artemis.resolve("lib/*");
    List<String> archived = new ArrayList<>(ClassArchives.options("broker"));
    archived.addAll(List.of("-cp", classPath));
    return launch(launcher, archived, arguments);
  }

  /**
   * Starts it with libraries that precede its own.
   *
   * @param libraries class path
   */
  public static BrokerJvm artemisWith(String libraries, String... options) {
    List<String> arguments = new ArrayList<>(List.of(ARTEMIS_MAIN, "--until-stdin-closes"));
    arguments.addAll(List.of(options));
    Path artemis = embeddedBroker();
    return start(
        String.join(
            File.pathSeparator,
            libraries,
            artemis.resolve("*").toString(),
            artemis.resolve("lib/*").toString()),
        arguments);
  }

  /** Returns the folder that holds the embedded broker, from the folder of any module. */
  private static Path embeddedBroker() {
    for (Path up = Path.of("").toAbsolutePath(); up != null; up = up.getParent()) {
      if (Files.isDirectory(up.resolve(ARTEMIS))) {
        return up.resolve(ARTEMIS);
      }
    }
    throw new AssertionError("no " + ARTEMIS + " above the working directory; build that module");
  }

  /** Starts the class that is named first, with the other arguments. */
  public static BrokerJvm start(String classPath, List<String> arguments) {
    return launch(List.of(), List.of("-cp", classPath), arguments);
  }

  private static BrokerJvm launch(
      List<String> launcher, List<String> options, List<String> arguments) {
    List<String> command = new ArrayList<>(launcher);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.addAll(options);
    command.addAll(arguments);
    try {
      return new BrokerJvm(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new AssertionError("the broker can't be started", e);
    }
  }

  private static int readPort(BufferedReader out) throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(READY)) {
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
      }
      if (line.startsWith(FAILED)) {
        throw new IOException("the broker did not start: " + line.substring(FAILED.length()));
      }
    }
    throw new IOException("the broker ended before it was ready");
  }

  public int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  /** Kills the process. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Suspends the process (SIGSTOP): its connections remain open, but it does not respond. */
  public void pause() {
    signal(process.pid(), "STOP");
    paused = true;
  }

  /** Continues the process after {@link #pause}. */
  public void resume() {
    signal(process.pid(), "CONT");
    paused = false;
  }

  /** Stops the broker gracefully. */
  public void stop() {
    if (paused) {
      resume();
    }
    process.destroy();
    process.onExit().join();
  }

  /** Sends a process a signal by name, such as {@code STOP}. */
  public static void signal(long pid, String name) {
    try {
      String number = String.valueOf(pid);
      int status = new ProcessBuilder("kill", "-" + name, number).inheritIO().start().waitFor();
      if (status != 0) {
        throw new AssertionError("kill ended with " + status);
      }
    } catch (IOException e) {
      throw new AssertionError("kill can't be started", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
