package io.sluice.gateway.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A broker in a process of its own, to be killed or stopped. Bound to the test's thread. */
final class BrokerProcess implements AutoCloseable {
  private static final Path ARTEMIS = Path.of("embedded-broker", "target");
  private static final String READY = "BROKER READY ";

  private final String provider;
  private final String host = Loopback.address();

  /** Null to keep nothing. */
  private final Path data;

  private int port;
  private Process process;

  private BrokerProcess(String provider, Path data) {
    this.provider = provider;
    this.data = data;
    restart();
  }

  /** Starts one that keeps nothing, on a free port. */
  static BrokerProcess start(String provider) {
    return new BrokerProcess(provider, null);
  }

  /** Starts one that keeps what is persistent in a folder, on a free port. */
  static BrokerProcess start(String provider, Path data) {
    return new BrokerProcess(provider, data);
  }

  /** Starts it again after {@link #kill}, where it was. */
  void restart() {
    try {
      process =
          new ProcessBuilder(command()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      port = readPort();
    } catch (IOException e) {
      throw new AssertionError("the broker can't be started", e);
    }
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-cp"));
    command.addAll(provider.equals("classic") ? classic() : artemis());
    if (data != null) {
      command.addAll(List.of("--data", data.toString()));
    }
    return command;
  }

  private List<String> classic() {
    String classPath = System.getProperty("java.class.path");
    return List.of(classPath, ClassicServer.class.getName(), host, String.valueOf(port));
  }

  private List<String> artemis() {
    String classPath = ARTEMIS.resolve("classes") + File.pathSeparator + ARTEMIS.resolve("lib/*");
    String main = "io.sluice.broker.EmbeddedBroker";
    String number = String.valueOf(port);
    return List.of(classPath, main, "--until-stdin-closes", "--host", host, "--port", number);
  }

  private int readPort() throws IOException {
    BufferedReader out = process.inputReader();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(READY)) {
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
      }
    }
    throw new IOException("it ended before it was ready");
  }

  String provider() {
    return provider;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  /** Where clients connect; the same after every start. */
  String url() {
    return "tcp://" + host + ":" + port;
  }

  /** Ends it without a farewell. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Stops it where it stands: its connections stay, and it answers nobody. */
  void pause() {
    signal("STOP");
  }

  /** Lets it go on after {@link #pause}. */
  void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      String pid = String.valueOf(process.pid());
      int status = new ProcessBuilder("kill", "-" + name, pid).inheritIO().start().waitFor();
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

  @Override
  public void close() {
    kill();
  }
}
