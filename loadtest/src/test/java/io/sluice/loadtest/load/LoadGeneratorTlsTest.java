package io.sluice.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.sluice.loadtest.load.dialect.ClientProtocol;
import io.sluice.testkit.Keytool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class LoadGeneratorTlsTest {
  private static final String PASSWORD = "password";

  @TempDir static Path folder;

  private Path certificate;
  private TestServer server;

  @BeforeEach
  void startServer() throws Exception {
    Path store = folder.resolve("server.p12");
    certificate = folder.resolve("certificate.pem");
    if (!Files.exists(store)) {
      List<String> key = List.of("-genkeypair", "-alias", "server", "-dname", "CN=localhost");
      List<String> kind = List.of("-keyalg", "EC", "-groupname", "secp256r1");
      List<String> name = List.of("-ext", "SAN=ip:127.0.0.1");
      Keytool.run(store, PASSWORD, Stream.of(key, kind, name).flatMap(List::stream).toList());
      String file = certificate.toString();
      Keytool.run(
          store, PASSWORD, List.of("-exportcert", "-rfc", "-alias", "server", "-file", file));
    }
    server = new TestServer(serverContext(store));
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"AUTO", "NIO"})
  void shouldCountAndReconnectOverTls(Transport transport) throws Exception {
    try (RunningGenerator generator = RunningGenerator.ready(options(transport, certificate))) {
      server.broadcast(() -> new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[100_000])));
      generator.awaitFigure("frames", 5);

      generator.command("reconnect rst");
      generator.awaitEvents("reconnected", 1);
      assertThat(server.handshakes()).isEqualTo(10);
      assertThat(server.closes()).isEmpty();
      generator.command("reconnect close");
      generator.awaitEvents("reconnected", 2);
      await().atMost(Duration.ofSeconds(60)).until(() -> server.closes().size() == 5);
    }
  }

  @Test
  void shouldStopWhenCertificateIsNotTrusted() {
    assertThatThrownBy(
            () -> {
              try (RunningGenerator generator =
                  RunningGenerator.start(options(Transport.AUTO, null))) {
                generator.generator().awaitEnd();
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("client 100: cannot connect to 127.0.0.1:")
        .hasMessageContaining("certification path");
  }

  private GeneratorOptions options(Transport transport, Path trust) {
    String url = "wss://127.0.0.1:" + server.port() + "/ws";
    return RunningGenerator.with(
        url, 5, ClientProtocol.SLUICE_BIN, null, List.of(), 1, transport, trust);
  }

  private static SslContext serverContext(Path store) throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    return SslContextBuilder.forServer(managers).build();
  }
}
