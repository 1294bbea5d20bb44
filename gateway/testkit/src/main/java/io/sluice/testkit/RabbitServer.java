package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * RabbitMQ server with the plugin of its JMS client, whose store and port survive a restart. Bound
 * to one test.
 */
public final class RabbitServer implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  /** Header of AMQP 0-9-1. */
  private static final byte[] HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

  private final String program;
  private final Path folder;
  private final String host = Loopback.address();
  private final int port = FreePorts.at(host);
  private final int distribution = FreePorts.one();
  private Process process;

  private RabbitServer(String program, Path folder) throws IOException {
    this.program = program;
    this.folder = folder;
    Files.writeString(
        folder.resolve("rabbitmq.conf"),
        """
        listeners.tcp.1 = %s:%d
        disk_free_limit.absolute = 1MB
        """
            .formatted(host, port));
    Files.writeString(folder.resolve("plugins"), "[rabbitmq_jms_topic_exchange].\n");
  }

  /**
   * Starts a server, and returns when it accepts connections.
   *
   * @param program script rabbitmq-server
   * @param folder absolute path of its empty folder
   */
  public static RabbitServer start(String program, Path folder) throws IOException {
    RabbitServer server = new RabbitServer(program, folder);
    server.restart();
    return server;
  }

  /**
   * Starts it again after {@link #kill} at the same port, and returns when it accepts connections.
   */
  public void restart() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(List.of(program))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .redirectErrorStream(true);
    builder.environment().putAll(environment());
    process = builder.start();
    await("RabbitMQ answers").atMost(TIMEOUT).until(this::answers);
  }

  // Without epmd, the daemon of Erlang that would survive the test.
  private Map<String, String> environment() {
    String node = "sluice@localhost";
    String arguments =
        "-sname %s -start_epmd false -erl_epmd_port %d -kernel inet_dist_use_interface {127,0,0,1}";
    return Map.of(
        "HOME", folder.toString(),
        "RABBITMQ_CONF_ENV_FILE", "/dev/null",
        "RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq.conf").toString(),
        "RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("plugins").toString(),
        "RABBITMQ_MNESIA_BASE", folder.resolve("data").toString(),
        "RABBITMQ_PID_FILE", folder.resolve("pid").toString(),
        "RABBITMQ_LOGS", "-",
        "RABBITMQ_NODENAME", node,
        "RABBITMQ_DIST_PORT", String.valueOf(distribution),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", arguments.formatted(node, distribution));
  }

  // It listens before its users exist, and then closes connections without an answer.
  private boolean answers() throws IOException {
    assertThat(process.isAlive()).as(() -> "RabbitMQ runs: " + output()).isTrue();
    try (Socket socket = new Socket(host, port)) {
      socket.getOutputStream().write(HEADER);
      return socket.getInputStream().read() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  private Path log() {
    return folder.resolve("rabbitmq.log");
  }

  private String output() {
    try {
      return Files.readString(log());
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Returns its URI for the user guest, without credentials. */
  public String uri() {
    return "amqp://" + host + ":" + port;
  }

  /** Kills it, as a crash does. */
  public void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
