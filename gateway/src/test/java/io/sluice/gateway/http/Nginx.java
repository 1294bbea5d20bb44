package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
final class Nginx implements AutoCloseable {
  static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();

  private static final Path PAGE = Path.of("..", "docs", "operations", "reverse-proxies.md");
  private static final String BEGIN = "<!-- nginx: run by a test -->\n```\n";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final int port = FreePorts.some(1).get(0);
  private final Process process;

  /** Waits until it listens. */
  Nginx(String program, Path folder, TestNode first, TestNode second) throws IOException {
    Path configuration =
        Files.writeString(folder.resolve("nginx.conf"), configuration(port, first, second));
    process =
        new ProcessBuilder(program, "-e", "stderr", "-p", folder + "/", "-c", "nginx.conf")
            .directory(folder.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    await("nginx listens, configuration: " + configuration).atMost(TIMEOUT).until(this::listens);
  }

  private static String configuration(int port, TestNode first, TestNode second)
      throws IOException {
    String text = Files.readString(PAGE, UTF_8);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    String page = text.substring(begin, text.indexOf("```\n", begin));
    String ours = replace(page, "listen 80;", "listen " + HOST + ":" + port + ";");
    ours = replace(ours, "10.0.0.11:8080", HOST + ":" + first.gateway().port());
    ours = replace(ours, "10.0.0.12:8080", HOST + ":" + second.gateway().port());
    StringBuilder temporary = new StringBuilder("access_log off;\n");
    for (String of : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      temporary.append(of).append("_temp_path ").append(of).append(";\n");
    }
    return "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\n"
        + temporary
        + ours
        + "}\n";
  }

  private static String replace(String text, String one, String by) {
    assertThat(text).containsOnlyOnce(one);
    return text.replace(one, by);
  }

  private boolean listens() {
    assertThat(process.isAlive()).as("nginx runs").isTrue();
    try (Socket socket = new Socket(HOST, port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  int port() {
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
