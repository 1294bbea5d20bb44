package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.http.Pages;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests that problems of secrets are reported without the secret. */
final class CheckConfigSecretsTest {
  private static final String SECRET = "Sesame0penNow";

  private final StringWriter out = new StringWriter();

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "broker.password: [SECRET]",
        "broker.password: {SECRET: x}",
        "broker.password: {a: SECRET}",
        "broker.password: SECRET: x",
        "broker.password: \"SECRET",
        "broker.password: 'SECRET",
        "broker.password: \"SECRET\\q\"",
        "broker.password: \"a\"SECRET",
        "broker.password: *SECRET",
        "broker.password: &SECRET",
        "broker.password: !SECRET",
        "broker.password: !SECRET x",
        "broker.password: !SECRET!x y",
        "broker.password: '!<SECRET'\nbroker.user: !<SECRET",
        "broker.password: @SECRET",
        "broker.password: `SECRET",
        "broker.password: %SECRET",
        "broker.password: ]SECRET",
        "broker.password: |SECRET",
        "broker.password: >SECRET",
        "broker.password:\n  SECRET\n SECRET: x",
        "broker.password: a\nSECRET",
        "broker.password:SECRET",
        "broker.password: '${SECRET'",
        "broker.pasword: SECRET",
        "broker: {password: SECRET, password: SECRET}",
        "broker.password: SECRET\nbroker.password-file: /none",
        "admin.token: SECRET",
        "admin.token: 'SECRET 0123456789'",
        "admin.token: [SECRET]",
        "cluster.secret: SECRET",
        "cluster.name: x\ncluster.nodes: ['10.0.0.1:7800']\ncluster.secret: SECRET",
        "auth.introspection.url: http://user:SECRET@example.com/x",
        "auth.introspection.url: https://user:SECRET@example.com/x",
        "auth.jwt.jwks-url: ftp://user:SECRET@example.com/x",
        "auth.jwt.jwks-url: 'https://user:SECRET@exa mple.com/x'",
        "broker.url: http://user:SECRET@h:1",
        "broker.url: tcp://user:SECRET@h",
        "broker.url: 'tcp//user:SECRET@h:1'",
        "broker.url: tcp://h?trustStorePassword=SECRET",
        "broker.url: 'x://h:1?a=b&keyStorePassword=SECRET'",
        "cluster.public-url: wss://user:SECRET@example.com/ws",
        "cluster.admin-url: https://user:SECRET@example.com",
        "cluster.admin-url: 'https://user:SECRET@exa mple.com'",
      })
  void shouldNotRevealASecretInAProblem(String text) throws IOException {
    boolean own = text.startsWith("broker.url");
    assertThat(check((own ? "" : "broker.url: tcp://localhost:1\n") + text)).isEqualTo(1);
    assertThat(out.toString()).doesNotContainIgnoringCase(SECRET);
  }

  @ParameterizedTest
  @ValueSource(strings = {"server.tls.key", "admin.tls.key", "cluster.tls.key", "auth.jwt.keys"})
  void shouldNotRevealABrokenKey(String setting) throws IOException {
    Path key =
        Files.writeString(
            folder.resolve("key.pem"),
            "-----BEGIN PRIVATE KEY-----\n" + SECRET + "\n-----END PRIVATE KEY-----\n");
    String value = setting.equals("auth.jwt.keys") ? "[" + key + "]" : key.toString();
    assertThat(check("broker.url: tcp://localhost:1\n" + setting + ": " + value)).isEqualTo(1);
    assertThat(out.toString()).contains(setting).doesNotContainIgnoringCase(SECRET);
  }

  private int check(String text) throws IOException {
    Path file = folder.resolve("sluice.yaml");
    Files.writeString(file, text.replace("SECRET", SECRET) + "\n");
    CommandLine line = Sluice.commandLine(CheckConfigSecretsTest::noStart, new Termination());
    PrintWriter writer = new PrintWriter(out, true);
    return line.setOut(writer).setErr(writer).execute("check-config", file.toString());
  }

  private static Gateway noStart(Config config, Pages pages) {
    throw new AssertionError("nothing is started");
  }
}
