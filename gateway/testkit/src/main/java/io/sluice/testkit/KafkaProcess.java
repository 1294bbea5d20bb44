package io.sluice.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/**
 * Kafka server in a child process: one node that is broker and controller, on loopback addresses.
 * Its class path is that of the module kafka-server. Bound to the test's thread.
 */
public final class KafkaProcess implements AutoCloseable {
  private static final String CLUSTER = "c2x1aWNlLXRlc3QtMDAwMQ";
  private static final Duration START = Duration.ofMinutes(2);

  private final Path folder;
  private final String host = Loopback.address();
  private final int port = FreePorts.some(1).get(0);
  private final int controller = FreePorts.some(1).get(0);
  private Process process;

  private KafkaProcess(Path folder) {
    this.folder = folder;
  }

  /**
   * Starts a server.
   *
   * @param folder empty folder for its data
   * @param properties further properties as name=value
   */
  public static KafkaProcess start(Path folder, String... properties) {
    KafkaProcess server = new KafkaProcess(folder);
    server.format(properties);
    server.restart();
    return server;
  }

  private void format(String... further) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("process.roles", "broker,controller");
    all.put("node.id", "1");
    all.put(
        "listeners",
        "PLAINTEXT://%s:%d,CONTROLLER://%s:%d".formatted(host, port, host, controller));
    all.put("controller.listener.names", "CONTROLLER");
    all.put("controller.quorum.bootstrap.servers", host + ":" + controller);
    all.put("log.dirs", folder.resolve("data").toString());
    all.put("auto.create.topics.enable", "false");
    all.put("offsets.topic.replication.factor", "1");
    all.put("transaction.state.log.replication.factor", "1");
    all.put("transaction.state.log.min.isr", "1");
    all.put("transaction.state.log.num.partitions", "1");
    // A server that was killed waits for the end of its former session.
    all.put("broker.session.timeout.ms", "2000");
    all.put("broker.heartbeat.interval.ms", "400");
    all.put("log.cleaner.dedupe.buffer.size", "2097152");
    all.put("log.cleaner.backoff.ms", "100");
    Arrays.stream(further)
        .map(each -> each.split("=", 2))
        .forEach(pair -> all.put(pair[0], pair[1]));
    String text =
        all.entrySet().stream()
            .map(each -> each.getKey() + '=' + each.getValue())
            .collect(Collectors.joining("\n"));
    try {
      Files.writeString(file(), text);
      int status =
          launch(
                  "kafka.tools.StorageTool",
                  "format",
                  "-t",
                  CLUSTER,
                  "-c",
                  file().toString(),
                  "--standalone")
              .waitFor();
      if (status != 0) {
        throw new AssertionError("the storage was not formatted: " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private Path file() {
    return folder.resolve("server.properties");
  }

  /** Starts the server again after {@link #kill}, on the same port and with its data. */
  public void restart() {
    process = launch("kafka.Kafka", file().toString());
    Awaitility.await("Kafka server").atMost(START).until(this::isListening);
  }

  private boolean isListening() {
    if (!process.isAlive()) {
      throw new AssertionError("the Kafka server has ended with " + process.exitValue());
    }
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Process launch(String main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Only C1: in a process of a few seconds C2 costs more than it saves.
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            ServerClassPath.of("kafka-server"),
            main));
    command.addAll(List.of(arguments));
    File log = folder.resolve("server.log").toFile();
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
          .start();
    } catch (IOException e) {
      throw new AssertionError("the Kafka server can't be started", e);
    }
  }

  /** Returns the address for clients, which does not change with a restart. */
  public String server() {
    return host + ":" + port;
  }

  public String host() {
    return host;
  }

  public int port() {
    return port;
  }

  /** Kills the process. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Suspends the process (SIGSTOP): its connections remain open, but it does not respond. */
  public void pause() {
    BrokerJvm.signal(process.pid(), "STOP");
  }

  /** Continues the process after {@link #pause}. */
  public void resume() {
    BrokerJvm.signal(process.pid(), "CONT");
  }

  @Override
  public void close() {
    kill();
  }
}
