package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.http.Pages;
import io.sluice.gateway.node.StartFailure;
import io.sluice.testkit.TestAuthority;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Compares {@code check-config} with {@code run}, which starts a real node for each file. */
@Timeout(180)
final class StartCheckIT {
  private static final String PORTS =
      """
      server: {host: 127.0.0.1, port: 0}
      admin: {port: 0}
      node.name: checked
      """;

  private final StringWriter out = new StringWriter();
  private boolean started;

  @TempDir private static Path folder;

  @BeforeAll
  static void createFiles() throws IOException {
    Files.writeString(folder.resolve("text"), "nothing of the kind\n");
    Files.writeString(folder.resolve("empty"), "");
    TestAuthority authority = TestAuthority.create(folder, "authority");
    Files.copy(authority.certificate(), folder.resolve("authority.pem"));
    for (String name : List.of("one", "two")) {
      TestAuthority.Issued issued = authority.issue(name, "CN=" + name);
      Files.copy(issued.certificate(), folder.resolve(name + ".pem"));
      Files.copy(issued.key(), folder.resolve(name + "-key.pem"));
    }
  }

  private int execute(String... arguments) {
    PrintWriter writer = new PrintWriter(out, true);
    CommandLine line = Sluice.commandLine(this::start, new Termination());
    return line.setOut(writer).setErr(writer).execute(arguments);
  }

  /** Starts a node and ends the command, which would wait for a signal. */
  private Gateway start(Config config, Pages pages) {
    try {
      Gateway.start(config, pages).close();
      started = true;
    } catch (StartFailure e) {
      throw new CommandFailure(e.getMessage(), e);
    }
    throw new CommandFailure("started and stopped");
  }

  private static Path file(String settings) throws IOException {
    return Files.writeString(
        folder.resolve("sluice.yaml"), PORTS + settings.replace("DIR", folder.toString()) + "\n");
  }

  private void compare(String settings, boolean valid) throws IOException {
    String file = file(settings).toString();

    int code = execute("check-config", file);
    execute("run", "--config", file);

    assertThat(started).as("run starts: %s", out).isEqualTo(valid);
    assertThat(code).as("exit code of check-config: %s", out).isEqualTo(valid ? 0 : 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "broker.url: tcp://127.0.0.1:1",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\njournal.folder: \"a\\0b\"",
        "auth.anonymous: true",
        "broker.url: 'tcp://127.0.0.1:1?reconnectAttempts=-1'\nauth.anonymous: true",
        "broker: {provider: classic, url: 'failover:(tcp://127.0.0.1:1)?maxReconnectAttempts=3'}\n"
            + "auth.anonymous: true",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: false",
        "broker.url: tcp://127.0.0.1:1\nauth.jwt.issuer: not-a-url",
        "broker.url: tcp://127.0.0.1:1\nauth.jwt.keys: [DIR/missing]",
        "broker.url: tcp://127.0.0.1:1\nauth.jwt.keys: [DIR/text]",
        "broker.url: tcp://127.0.0.1:1\nauth.jwt.keys: [DIR/empty]",
        "broker.url: tcp://127.0.0.1:1\nauth.kerberos.keytab: DIR/missing\n"
            + "auth.kerberos.principal: [HTTP/a@B]",
        "broker.url: tcp://127.0.0.1:1\nauth.kerberos.keytab: DIR/text\n"
            + "auth.kerberos.principal: [HTTP/a@B]",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nauth.revocations-file: DIR",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nauth.revocations-file: DIR/none/r",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nauth.revocations-file: DIR/text/r",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\naudit.file: DIR",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\naudit.file: DIR/none/audit",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\njournal.folder: DIR/text\n"
            + "broker.durable: [a]",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nadmin.token: short",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nadmin.token-file: DIR/empty",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nadmin.token-file: DIR/missing",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nadmin.host: 0.0.0.0",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n"
            + "admin.tls: {certificate: DIR/one.pem, key: DIR/text}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n"
            + "admin.tls: {certificate: DIR/missing, key: DIR/missing}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n"
            + "server.tls: {certificate: DIR/one.pem, key: DIR/two-key.pem}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n"
            + "server.tls: {certificate: DIR/text, key: DIR/text}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nserver.tls.certificate: DIR/one.pem",
        "broker.url: tcp://127.0.0.1:1\nserver.tls.client-auth: required",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nbroker.password-file: DIR/missing",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nbroker.jars: [DIR/missing.jar]",
        "broker.url: nonsense\nauth.anonymous: true",
        "broker.url: ftp://127.0.0.1:1\nauth.anonymous: true",
        "broker: {url: 'tcp://127.0.0.1:1', provider: factory}\nauth.anonymous: true",
        "broker: {provider: factory, jars: target/providers/javax-classic, connection-factory:"
            + " org.apache.activemq.ActiveMQConnectionFactory}\nauth.anonymous: true",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n"
            + "cluster: {name: x, nodes: ['127.0.0.1:1'], secret-file: DIR/empty}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n"
            + "cluster: {name: x, nodes: ['127.0.0.1:1'], secret: short}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n"
            + "cluster: {name: x, nodes: ['127.0.0.1:1'],"
            + " tls: {certificate: DIR/text, key: DIR/text, ca: DIR/text}}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\ntopics.compression: ['a.>']",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nsubscribe.topics: ['a..b']",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nlog.level: loud",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nlog.levels: {io.sluice: loud}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nserver.client-files: DIR/missing",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nserver.allowed-origins: [nonsense]",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nserver.trusted-proxies: [nonsense]",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nno.such.key: 1"
      })
  void shouldRejectWhatARunRejects(String settings) throws IOException {
    compare(settings, false);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true",
        "broker.url: tcp://127.0.0.1:1\nauth.jwt.issuer: https://127.0.0.1:1",
        "broker.url: tcp://127.0.0.1:1\nauth.introspection: {url: 'https://127.0.0.1:1/i',"
            + " client-id: a, client-secret: b}",
        "broker.url: tcp://127.0.0.1:1\n"
            + "server.tls: {certificate: DIR/one.pem, key: DIR/one-key.pem,"
            + " client-auth: required, client-ca: DIR/authority.pem}",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\nauth.revocations-file: DIR/r",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\naudit.file: DIR/audit",
        "broker.url: tcp://127.0.0.1:1\nauth.anonymous: true\n"
            + "admin.tls: {certificate: DIR/one.pem, key: DIR/one-key.pem}"
      })
  void shouldAcceptWhatARunAccepts(String settings) throws IOException {
    compare(settings, true);
  }
}
