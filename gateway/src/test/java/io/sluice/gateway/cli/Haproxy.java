package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.DocumentedBlock;
import io.sluice.testkit.Balancer;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.Loopback;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * HAProxy with two nodes behind it, with the configuration of docs/operations/reverse-proxies.md.
 */
public final class Haproxy implements Balancer {
  private static final int IN_THE_PAGE = 2;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final Process process;
  private final String host;
  private final int port;

  private Haproxy(Process process, String host, int port) {
    this.process = process;
    this.host = host;
    this.port = port;
  }

  /**
   * Starts one before a single node, and returns when it accepts connections.
   *
   * @param listens where, as host:port
   * @param node where the node is, as host:port
   * @param rule a line for its frontend
   */
  static Haproxy start(String program, Path folder, String listens, String node, String rule)
      throws IOException {
    return start(program, folder, listens, before(node, listens, rule), 100);
  }

  /** The same with TLS, for HTTP/2 and HTTP/1.1. */
  static Haproxy startWithTls(
      String program, Path folder, String listens, String node, TestCertificate certificate)
      throws IOException {
    String both = Files.readString(certificate.certificate()) + Files.readString(certificate.key());
    Path file = Files.writeString(folder.resolve("haproxy.pem"), both);
    String bind = listens + " ssl crt " + file + " alpn h2,http/1.1";
    return start(program, folder, listens, before(node, bind, ""), 100);
  }

  private static String before(String node, String bind, String rule) {
    return """
    defaults
        mode http
        timeout connect 5s
        timeout client 1m
        timeout server 1m
        timeout tunnel 1m
    frontend clients
        bind %s
        %s
        default_backend nodes
    backend nodes
        # A node may close an idle connection while it is reused.
        http-request disable-l7-retry if METH_POST
        retry-on conn-failure empty-response
        server gw-1 %s
    """
        .formatted(bind, rule, node);
  }

  /**
   * Starts it, and returns when it accepts connections.
   *
   * @param program its path
   * @param folder where its configuration is written
   * @param clients how many connections it has room for, at least
   */
  static Haproxy start(String program, Path folder, int clients, List<NodeProcess> nodes)
      throws IOException {
    String host = Loopback.address();
    String listens = host + ":" + FreePorts.at(host);
    List<String> servers = nodes.stream().map(Haproxy::server).toList();
    return start(program, folder, listens, configuration(listens, servers), 2 * clients);
  }

  private static String server(NodeProcess node) {
    return server(node.address(), node.adminPort());
  }

  /**
   * A section by which it answers HTTP with 200 if it sends clients to the server that the path
   * names, such as {@code /gw-1}, and otherwise with 503.
   *
   * @param listens where, as host:port
   * @param servers how many there are
   */
  public static String tellingServers(String listens, int servers) {
    StringBuilder section = new StringBuilder("\nfrontend servers\n    bind " + listens + "\n");
    for (int i = 1; i <= servers; i++) {
      String condition = "{ path /gw-%d } { srv_is_up(nodes/gw-%d) }".formatted(i, i);
      section.append("    http-request return status 200 if ").append(condition).append('\n');
    }
    return section.append("    http-request return status 503\n").toString();
  }

  /** Server of the configuration: address for clients and port for health checks. */
  public static String server(String address, int adminPort) {
    return address + " check port " + adminPort;
  }

  /**
   * Starts it on another host, and returns when it accepts connections.
   *
   * @param launcher what starts a program there
   * @param program its path
   * @param folder where its configuration is written
   * @param listens where, as host:port
   * @param clients how many connections it has room for, at least
   * @param servers each as {@link #server} says, two at least
   * @param more sections of its configuration
   */
  public static Haproxy start(
      List<String> launcher,
      String program,
      Path folder,
      String listens,
      int clients,
      List<String> servers,
      String more)
      throws IOException {
    String configuration = configuration(listens, servers) + more;
    return start(launcher, program, folder, listens, configuration, 2 * clients);
  }

  private static Haproxy start(
      String program, Path folder, String listens, String configuration, int connections)
      throws IOException {
    return start(List.of(), program, folder, listens, configuration, connections);
  }

  private static Haproxy start(
      List<String> launcher,
      String program,
      Path folder,
      String listens,
      String configuration,
      int connections)
      throws IOException {
    Path file = folder.resolve("haproxy.cfg");
    Files.writeString(file, configuration);
    List<String> command = new ArrayList<>(launcher);
    command.addAll(List.of(program, "-db", "-n", "" + connections, "-f", file.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String[] address = listens.split(":");
    Haproxy haproxy = new Haproxy(process, address[0], Integer.parseInt(address[1]));
    await("HAProxy listens").atMost(TIMEOUT).until(haproxy::listens);
    return haproxy;
  }

  // The page has lines for two nodes; further nodes get a similar line.
  private static String configuration(String listens, List<String> servers) throws IOException {
    StringBuilder all = new StringBuilder(documented(listens, servers).text());
    for (int i = IN_THE_PAGE; i < servers.size(); i++) {
      all.append("    server gw-%d %s%n".formatted(i + 1, servers.get(i)));
    }
    return all.toString();
  }

  /** Returns the page's configuration with an address, as host:port, and the first two servers. */
  static DocumentedBlock documented(String listens, List<String> servers) throws IOException {
    DocumentedBlock block =
        DocumentedBlock.of("operations/reverse-proxies.md", "haproxy")
            .with("bind :80\n", "bind " + listens + "\n");
    for (int i = 0; i < IN_THE_PAGE; i++) {
      block = block.with(server("10.0.0.1%d:8080".formatted(i + 1), 9090), servers.get(i));
    }
    return block;
  }

  /** Starts one with a configuration of the page, and returns when it accepts connections. */
  static Haproxy start(String program, Path folder, String listens, DocumentedBlock block)
      throws IOException {
    return start(program, folder, listens, block.text(), 100);
  }

  private boolean listens() {
    assertThat(process.isAlive()).as("HAProxy runs").isTrue();
    try (Socket socket = new Socket(host, port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Another one, which listens at the same address, takes what comes; this one ends later. */
  void leaveTo(Haproxy successor) throws IOException, InterruptedException {
    String pid = String.valueOf(process.pid());
    Process kill = new ProcessBuilder("kill", "-USR1", pid).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
    await("HAProxy's successor listens").atMost(TIMEOUT).until(successor::listens);
  }

  @Override
  public String address() {
    return host + ":" + port;
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
