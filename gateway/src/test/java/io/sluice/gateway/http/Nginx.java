package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.DocumentedBlock;
import io.sluice.gateway.TestNode;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * nginx in front of two nodes, with the configuration of docs/operations/reverse-proxies.md. Bound
 * to the test's thread.
 */
public final class Nginx implements AutoCloseable {
  public static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final int port;
  private final Process process;

  /** Waits until it listens. */
  Nginx(String program, Path folder, TestNode first, TestNode second) throws IOException {
    this(program, folder, FreePorts.one(), first, second);
  }

  private Nginx(String program, Path folder, int port, TestNode first, TestNode second)
      throws IOException {
    this(program, folder, port, documented(port, address(first), address(second)));
  }

  /**
   * Waits until it listens.
   *
   * @param block content of the section {@code http}
   */
  public Nginx(String program, Path folder, int port, DocumentedBlock block) throws IOException {
    this.port = port;
    Path configuration = Files.writeString(folder.resolve("nginx.conf"), configuration(block));
    process =
        new ProcessBuilder(program, "-e", "stderr", "-p", folder + "/", "-c", "nginx.conf")
            .directory(folder.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    await("nginx listens, configuration: " + configuration).atMost(TIMEOUT).until(this::listens);
  }

  private static String address(TestNode node) {
    return HOST + ":" + node.gateway().port();
  }

  /** Returns the page's configuration with these addresses, as host:port. */
  public static DocumentedBlock documented(int port, String first, String second)
      throws IOException {
    return DocumentedBlock.of("operations/reverse-proxies.md", "nginx")
        .with("listen 80;", "listen " + HOST + ":" + port + ";")
        .with("10.0.0.11:8080", first)
        .with("10.0.0.12:8080", second);
  }

  private static String configuration(DocumentedBlock block) {
    StringBuilder temporary = new StringBuilder("access_log off;\n");
    for (String of : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      temporary.append(of).append("_temp_path ").append(of).append(";\n");
    }
    return "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\n"
        + temporary
        + block.text()
        + "}\n";
  }

  private boolean listens() {
    assertThat(process.isAlive()).as("nginx runs").isTrue();
    try (Socket socket = new Socket(HOST, port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  public int port() {
    return port;
  }

  /** Returns the handshake of a WebSocket. */
  RawWebSocket open() {
    return RawWebSocket.to(HOST, port, "/ws").open();
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
