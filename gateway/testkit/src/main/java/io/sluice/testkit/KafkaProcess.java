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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * Kafka server in a child process: broker and controller, on loopback addresses. Its class path is
 * that of the module kafka-server. Bound to the test's thread.
 */
public final class KafkaProcess implements AutoCloseable {
  private static final String CLUSTER = "c2x1aWNlLXRlc3QtMDAwMQ";
  private static final Duration START = Duration.ofMinutes(2);

  private final Path folder;
  private final int id;
  private final String host = Loopback.address();
  private final int port = FreePorts.one();
  private final int controller = FreePorts.one();
  private Process process;

  private KafkaProcess(Path folder, int id) {
    this.folder = folder;
    this.id = id;
  }

  /**
   * Starts a server.
   *
   * @param folder empty folder for its data
   * @param properties further properties as name=value
   */
  public static KafkaProcess start(Path folder, String... properties) {
    KafkaProcess server = new KafkaProcess(folder, 1);
    server.write(List.of(server), properties);
    server.awaitFormatted(server.format());
    server.restart();
    return server;
  }

  /**
   * Starts a cluster of servers with the numbers from 1 on, a majority of which must run.
   *
   * @param folder empty folder for their data
   * @param properties further properties as name=value
   */
  public static List<KafkaProcess> startCluster(Path folder, int size, String... properties) {
    List<KafkaProcess> servers =
        IntStream.rangeClosed(1, size)
            .mapToObj(id -> new KafkaProcess(folder.resolve(String.valueOf(id)), id))
            .toList();
    servers.forEach(server -> server.write(servers, properties));
    List<Process> formats = servers.stream().map(KafkaProcess::format).toList();
    IntStream.range(0, size).forEach(i -> servers.get(i).awaitFormatted(formats.get(i)));
    servers.forEach(KafkaProcess::launch);
    servers.forEach(KafkaProcess::awaitListening);
    return servers;
  }

  /**
   * Starts a server with TLS, authentication by SASL/PLAIN, and rules of access. The password of a
   * user is its name; the user admin may do everything, all others nothing without a rule.
   *
   * @param folder empty folder for its data and certificates
   */
  public static KafkaProcess startSecured(Path folder, String... users) {
    KafkaProcess server = new KafkaProcess(folder, 1);
    TestAuthority authority = TestAuthority.create(folder, "kafka");
    Path store = authority.issue("server", "CN=kafka", "SAN=ip:" + server.host).store();
    String passwords =
        Stream.concat(Stream.of("admin"), Arrays.stream(users))
            .map("user_%1$s=\"%1$s\" "::formatted)
            .collect(Collectors.joining());
    server.write(
        List.of(server),
        "listener.security.protocol.map=CLIENTS:SASL_SSL,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms=PLAIN",
        "sasl.mechanism.inter.broker.protocol=PLAIN",
        "listener.name.clients.plain.sasl.jaas.config=" + login("admin", "admin", passwords),
        "ssl.keystore.type=PKCS12",
        "ssl.keystore.location=" + store,
        "ssl.keystore.password=" + TestAuthority.PASSWORD,
        "ssl.truststore.type=PEM",
        "ssl.truststore.location=" + authority.certificate(),
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users=User:admin;User:ANONYMOUS"); // the controller has no authentication
    server.awaitFormatted(server.format());
    server.restart();
    return server;
  }

  /** Returns the properties of a user's clients of a server with authentication. */
  public Map<String, String> clientProperties(String user, String password) {
    return Map.of(
        "security.protocol",
        "SASL_SSL",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        login(user, password, ""),
        "ssl.truststore.type",
        "PEM",
        "ssl.truststore.location",
        folder.resolve("kafka-ca.pem").toString());
  }

  private static String login(String user, String password, String more) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\" %s;"
        .formatted(user, password, more);
  }

  private void write(List<KafkaProcess> voters, String... further) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("process.roles", "broker,controller");
    all.put("node.id", String.valueOf(id));
    all.put(
        "listeners", "CLIENTS://%s:%d,CONTROLLER://%s:%d".formatted(host, port, host, controller));
    all.put("listener.security.protocol.map", "CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT");
    all.put("inter.broker.listener.name", "CLIENTS");
    all.put("controller.listener.names", "CONTROLLER");
    all.put(
        "controller.quorum.voters",
        voters.stream()
            .map(voter -> voter.id + "@" + voter.host + ":" + voter.controller)
            .collect(Collectors.joining(",")));
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
      Files.createDirectories(folder);
      Files.writeString(file(), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process format() {
    return launch("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", file().toString());
  }

  private void awaitFormatted(Process format) {
    int status = format.onExit().join().exitValue();
    if (status != 0) {
      throw new AssertionError("the storage of " + folder + " was not formatted: " + status);
    }
  }

  private Path file() {
    return folder.resolve("server.properties");
  }

  /** Starts the server again after {@link #kill}, on the same port and with its data. */
  public void restart() {
    launch();
    awaitListening();
  }

  private void launch() {
    process = launch("kafka.Kafka", file().toString());
  }

  private void awaitListening() {
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
    command.add(java());
    command.addAll(BrokerJvm.OPTIONS);
    command.addAll(ClassArchives.options("kafka"));
    command.addAll(List.of("-cp", ServerClassPath.of("kafka-server"), main));
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

  /** Returns the number of the server. */
  public int id() {
    return id;
  }

  /** Writes the programs of a Kafka installation to a folder. */
  public static void writePrograms(Path bin) throws IOException {
    Map<String, String> mains =
        Map.of(
            "kafka-storage.sh", "kafka.tools.StorageTool", "kafka-server-start.sh", "kafka.Kafka");
    for (Map.Entry<String, String> main : mains.entrySet()) {
      String script =
          "#!/bin/sh\nexec '%s' -Xmx512m -XX:TieredStopAtLevel=1 -cp '%s' %s \"$@\"\n"
              .formatted(java(), ServerClassPath.of("kafka-server"), main.getValue());
      Path file = Files.writeString(bin.resolve(main.getKey()), script);
      if (!file.toFile().setExecutable(true)) {
        throw new IOException(file + " cannot be made executable");
      }
    }
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
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
