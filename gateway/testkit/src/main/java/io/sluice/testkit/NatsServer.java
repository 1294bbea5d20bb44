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
import java.util.Optional;

/** NATS server with JetStream, whose store and port survive a restart. Bound to one test. */
public final class NatsServer implements AutoCloseable {
  private static final Path PROVIDER = Path.of("src", "test", "scripts", "provide-program.sh");
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final String program;
  private final Path configuration;
  private final Path output;
  private final String host;
  private final int ownPort;
  private int port;
  private Process process;

  /** URL without the port. */
  private String url;

  private NatsServer(String program, Path folder, String host, int port, String more)
      throws IOException {
    this.program = program;
    this.host = host;
    this.ownPort = port;
    this.url = "nats://" + host + ":";
    this.output = folder.resolve("nats-server.log");
    this.configuration =
        Files.writeString(
            folder.resolve("nats-server.conf"),
            """
            listen: "%s:%d"
            jetstream { store_dir: "%s" }
            %s
            """
                .formatted(host, port, folder.resolve("jetstream"), more));
  }

  /**
   * Returns the path of a server that is installed or can be downloaded. Otherwise prints what to
   * install on standard error.
   */
  public static Optional<String> provide() throws Exception {
    Path here = Files.exists(PROVIDER) ? PROVIDER : Path.of("..").resolve(PROVIDER);
    String target = Path.of("target", "nats-server").toString();
    CommandResult provider =
        CommandResult.of(Map.of(), List.of(here.toString(), "nats-server", target));
    if (provider.code() != 0) {
      System.err.println("no nats-server: " + provider.lastLine());
      return Optional.empty();
    }
    return Optional.of(provider.lastLine());
  }

  /** Starts a server, and returns when it accepts connections. */
  public static NatsServer start(String program, Path folder) throws IOException {
    return start(program, folder, "");
  }

  /**
   * Starts a server, and returns when it accepts connections.
   *
   * @param folder where it stores streams
   * @param more lines of its configuration
   */
  public static NatsServer start(String program, Path folder, String more) throws IOException {
    String host = Loopback.address();
    NatsServer server = new NatsServer(program, folder, host, FreePorts.at(host), more);
    server.restart();
    return server;
  }

  /**
   * Starts a server with TLS at all addresses, and returns when it accepts connections.
   *
   * @param name its name in {@link #url}
   */
  public static NatsServer startWithTls(
      String program, Path folder, String name, Path certificate, Path key) throws IOException {
    String tls = "tls { cert_file: \"%s\", key_file: \"%s\" }".formatted(certificate, key);
    NatsServer server = new NatsServer(program, folder, "0.0.0.0", FreePorts.one(), tls);
    server.url = "tls://" + name + ":";
    server.restart();
    return server;
  }

  /** Starts it again at the same port, and returns when it accepts connections. */
  public void restart() throws IOException {
    start(ownPort);
  }

  /** Starts it again where its earlier clients do not find it, until the next restart. */
  public void restartElsewhere() throws IOException {
    start(FreePorts.at(host));
  }

  private void start(int atPort) throws IOException {
    port = atPort;
    process =
        new ProcessBuilder(program, "-c", configuration.toString(), "-p", "" + port)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .redirectErrorStream(true)
            .start();
    await("nats-server listens").atMost(TIMEOUT).until(this::listens);
  }

  private boolean listens() throws IOException {
    assertThat(process.isAlive()).as(() -> "nats-server runs: " + output()).isTrue();
    try (Socket socket = new Socket(host, port)) {
      return socket.getInputStream().read() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  private String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Returns its URL. */
  public String url() {
    return url + port;
  }

  /** Kills it, as a crash does. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
