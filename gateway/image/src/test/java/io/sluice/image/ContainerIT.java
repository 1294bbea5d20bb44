package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testkit.BrokerJvm;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the image started as its configuration specifies, with its own Java, and with a broker. */
@Timeout(180)
class ContainerIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String SLUICE = "/opt/sluice/bin/sluice";

  @TempDir private static Path folder;
  private static Path configuration;
  private static Container.Machine machine;

  @BeforeAll
  static void unpack() throws Exception {
    BuiltImage image = BuiltImage.find(folder.resolve("image"));
    assumeTrue(matchesArchitecture(image), "the image is for another processor");
    assumeTrue(canMount(), "the kernel rejects unshare --mount");
    configuration = Files.createDirectory(folder.resolve("configuration"));
    machine = Container.Machine.prepare(image, configuration);
  }

  private static boolean matchesArchitecture(BuiltImage image) throws IOException {
    String architecture = image.config().path("architecture").textValue();
    return System.getProperty("os.arch")
        .equals(architecture.equals("arm64") ? "aarch64" : architecture);
  }

  private static boolean canMount() throws Exception {
    List<String> command =
        List.of("unshare", "--map-root-user", "--mount", "--pid", "--fork", "true");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  @Test
  void shouldAllowWritesToTmpOnly() throws Exception {
    String attempt =
        """
        for folder in / /etc /etc/sluice /opt/sluice /opt/sluice/lib /usr/bin /var/lib/sluice /tmp; do
          if (echo >"$folder/file") 2>/dev/null; then echo "$folder"; fi
        done
        echo "$$ $EUID"
        """;
    try (Container container = machine.start("/bin/bash", "-c", attempt)) {
      assertThat(container.exitCode()).isZero();
      assertThat(container.output()).containsExactly("/tmp", "1 65532");
    }
  }

  @Test
  void shouldCheckConfiguration() throws Exception {
    Files.writeString(configuration.resolve("other.yaml"), "server.prot: 1\n");
    try (Container check = machine.start(SLUICE, "check-config", "/etc/sluice/other.yaml")) {
      assertThat(check.exitCode()).isEqualTo(1);
      assertThat(check.output()).anyMatch(line -> line.contains("server.prot: unknown key"));
    }
  }

  @Test
  void shouldTrustDebianCertificateAuthorities() throws Exception {
    String program = "exec \"$SLUICE_JAVA/bin/keytool\" -list -cacerts -storepass none";
    try (Container list = machine.start("/bin/bash", "-c", program)) {
      assertThat(list.exitCode()).as("%s", list.output()).isZero();
      assertThat(list.output())
          .filteredOn(line -> line.contains("trustedCertEntry"))
          .hasSizeGreaterThan(100);
    }
  }

  @Test
  void shouldServeClientsAndDrainOnSigterm() throws Exception {
    BrokerJvm broker = BrokerJvm.artemis("--port", "0");
    try {
      Files.writeString(
          configuration.resolve("sluice.yaml"),
          """
          server.port: 0
          admin.port: 0
          broker.url: %s
          auth.anonymous: true
          timeouts.drain: 2s
          """
              .formatted(url(broker)));
      try (Container node = machine.start()) {
        String port = node.awaitLine("Sluice listens at ws://localhost:(\\d+)/ws").group(1);
        String ready = node.awaitLine("admin: (http://\\S+/health/ready)").group(1);
        await().atMost(TIMEOUT).until(() -> status(ready) == 200);
        shouldDeliver(broker, port);
        node.sigterm();
        assertThat(node.exitCode()).as("%s", node.output()).isZero();
      }
    } finally {
      broker.stop();
    }
  }

  private static String url(BrokerJvm broker) {
    return "tcp://localhost:" + broker.port();
  }

  private static void shouldDeliver(BrokerJvm broker, String port) throws Exception {
    Received received = new Received();
    WebSocket client =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .subprotocols("sluice.v1.json")
            .buildAsync(URI.create("ws://127.0.0.1:" + port + "/ws"), received)
            .join();
    client.sendText("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"stocks.1\"}", true).join();
    await().atMost(TIMEOUT).until(() -> received.has("\"subscribed\""));
    String[] feed = {"feed", "--broker", url(broker), "--topics", "2", "--rate", "50"};
    try (Container publisher = machine.start(concat(SLUICE, feed))) {
      await().atMost(TIMEOUT).until(() -> received.has("\"topic\":\"stocks.1\",\"offset\""));
      publisher.sigterm();
      assertThat(publisher.exitCode()).isZero();
    }
  }

  private static String[] concat(String program, String[] arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = program;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return all;
  }

  private static int status(String url) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT).build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  /** Text frames received so far. */
  private static final class Received implements WebSocket.Listener {
    private final List<String> frames = new CopyOnWriteArrayList<>();
    private final StringBuilder partial = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      partial.append(data);
      if (last) {
        frames.add(partial.toString());
        partial.setLength(0);
      }
      socket.request(1);
      return null;
    }

    boolean has(String text) {
      return frames.stream().anyMatch(frame -> frame.contains(text));
    }
  }
}
