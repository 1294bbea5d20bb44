package io.sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.transport.TestCertificate;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** HAProxy with two nodes behind it, configured by the very text of docs/OPERATIONS.md. */
final class Haproxy implements Balancer {
  private static final Path PAGE = Path.of("..", "docs", "OPERATIONS.md");
  private static final String BEGIN = "<!-- haproxy: run by a test -->\n```\n";
  private static final String END = "```\n";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

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
    String listens = host + ":" + Loopback.freePort(host);
    return start(program, folder, listens, configuration(listens, nodes), 2 * clients);
  }

  private static Haproxy start(
      String program, Path folder, String listens, String configuration, int connections)
      throws IOException {
    Path file = folder.resolve("haproxy.cfg");
    Files.writeString(file, configuration);
    List<String> command = List.of(program, "-db", "-n", "" + connections, "-f", file.toString());
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String[] address = listens.split(":");
    Haproxy haproxy = new Haproxy(process, address[0], Integer.parseInt(address[1]));
    await("HAProxy listens").atMost(PATIENCE).until(haproxy::listens);
    return haproxy;
  }

  private static String configuration(String listens, List<NodeProcess> nodes) throws IOException {
    String text = Files.readString(PAGE, UTF_8);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    String page = text.substring(begin, text.indexOf(END, begin));
    String ours = replace(page, "bind :80\n", "bind " + listens + "\n");
    for (int i = 0; i < nodes.size(); i++) {
      NodeProcess node = nodes.get(i);
      String there = "10.0.0.1%d:8080 check port 9090\n".formatted(i + 1);
      ours = replace(ours, there, node.address() + " check port " + node.adminPort() + "\n");
    }
    return ours;
  }

  private static String replace(String text, String one, String by) {
    assertThat(text).containsOnlyOnce(one);
    return text.replace(one, by);
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
    await("HAProxy's successor listens").atMost(PATIENCE).until(successor::listens);
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
