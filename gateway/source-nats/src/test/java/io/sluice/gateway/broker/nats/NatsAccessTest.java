package io.sluice.gateway.broker.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.nats.client.NKey;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.support.JwtUtils;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.testkit.NatsServer;
import io.sluice.testkit.TestCertificate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests credentials and TLS against real servers, one of each test. */
@Execution(ExecutionMode.CONCURRENT)
final class NatsAccessTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(40);

  @TempDir Path folder;
  private String program;
  private NatsServer server;
  private NatsScene scene;

  @BeforeEach
  void find() throws Exception {
    Optional<String> found = NatsServer.provide();
    assumeThat(found).as("nats-server, see above").isPresent();
    program = found.get();
  }

  @AfterEach
  void stop() throws Exception {
    if (scene != null) {
      scene.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private void awaitState(String... parts) {
    await().atMost(TIMEOUT).untilAsserted(() -> assertThat(scene.source().state()).contains(parts));
  }

  @Test
  void shouldConnectWithUserAndPassword() throws Exception {
    server = NatsServer.start(program, folder, "authorization { user: node, password: secret }");
    scene =
        new NatsScene(
            server,
            config -> config.with(NatsSettings.USER, "node").with(NatsSettings.PASSWORD, "secret"),
            new Options.Builder().userInfo("node", "secret"));
    scene.awaitLive();
    assertThat(scene.source().state()).isEqualTo("connected");
  }

  @Test
  void shouldConnectWithAToken() throws Exception {
    server = NatsServer.start(program, folder, "authorization { token: secret }");
    scene =
        new NatsScene(
            server,
            config -> config.with(NatsSettings.TOKEN, "secret"),
            new Options.Builder().token("secret".toCharArray()));
    scene.awaitLive();
  }

  @Test
  void shouldReportWrongCredentials() throws Exception {
    server = NatsServer.start(program, folder, "authorization { user: node, password: secret }");
    scene =
        new NatsScene(
            server,
            config ->
                config.with(NatsSettings.USER, "node").with(NatsSettings.PASSWORD, "incorrect"),
            new Options.Builder().userInfo("node", "secret"));
    awaitState("not connected: ", "(the server refuses nats.user or nats.password)");
    assertThat(scene.source().state()).doesNotContain("incorrect");
  }

  @Test
  void shouldNameTheRefusedSetting() throws Exception {
    server = NatsServer.start(program, folder, "authorization { token: secret }");
    scene =
        new NatsScene(
            server,
            config -> config.with(NatsSettings.TOKEN, "incorrect"),
            new Options.Builder().token("secret".toCharArray()));
    awaitState("not connected: ", "(the server refuses nats.token)");
    scene.close();
    scene =
        new NatsScene(
            server, config -> config, new Options.Builder().token("secret".toCharArray()));
    awaitState("not connected: ", "(the server requires nats.user, nats.token or ");
  }

  @Test
  void shouldConnectWithACredentialsFile() throws Exception {
    NKey operator = NKey.createOperator(null);
    NKey system = NKey.createAccount(null);
    NKey account = NKey.createAccount(null);
    NKey user = NKey.createUser(null);
    String limits = "\"subs\":-1,\"conn\":-1,\"leaf\":-1,\"imports\":-1,\"exports\":-1";
    String accountClaim =
        "{\"type\":\"account\",\"version\":2,\"limits\":{%s,\"data\":-1,\"payload\":-1}}"
            .formatted(limits);
    server =
        NatsServer.start(
            program,
            folder,
            """
            operator: "%1$s"
            system_account: %2$s
            resolver: MEMORY
            resolver_preload: { %2$s: "%3$s", %4$s: "%5$s" }
            """
                .formatted(
                    jwt(operator, operator, "{\"type\":\"operator\",\"version\":2}"),
                    new String(system.getPublicKey()),
                    jwt(operator, system, accountClaim),
                    new String(account.getPublicKey()),
                    jwt(operator, account, accountClaim)));
    String userJwt =
        JwtUtils.issueUserJWT(
            account, new String(account.getPublicKey()), new String(user.getPublicKey()));
    Path credentials =
        Files.writeString(
            folder.resolve("node.creds"),
            """
            -----BEGIN NATS USER JWT-----
            %s
            ------END NATS USER JWT------

            -----BEGIN USER NKEY SEED-----
            %s
            ------END USER NKEY SEED------
            """
                .formatted(userJwt, new String(user.getSeed())));
    scene =
        new NatsScene(
            server,
            config -> config.with(NatsSettings.CREDENTIALS_FILE, credentials.toString()),
            new Options.Builder().authHandler(Nats.credentials(credentials.toString())));
    NatsEvents.Topic topic = scene.opened("news"); // JetStream is not enabled for the account
    scene.client().publish("news", "a".getBytes(UTF_8));
    NatsScene.awaitEvents(topic, "active", "a");
  }

  @Test
  void shouldNeedOnlyTheDocumentedPermissions() throws Exception {
    server =
        NatsServer.start(
            program,
            folder,
            """
            authorization {
              users = [
                {user: node, password: secret, permissions: {
                  publish: ["$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.INFO.*",
                    "$JS.API.STREAM.MSG.GET.*", "$JS.API.DIRECT.GET.>",
                    "$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.DELETE.>",
                    "$JS.API.CONSUMER.MSG.NEXT.>"]
                  subscribe: ["_INBOX.>", "news.>"]}}
                {user: other, password: other}
              ]
            }
            """);
    scene =
        new NatsScene(
            server,
            config -> config.with(NatsSettings.USER, "node").with(NatsSettings.PASSWORD, "secret"),
            new Options.Builder().userInfo("other", "other"));
    scene.awaitLive();
    scene.stream("orders", "orders.>");
    NatsEvents.Topic stored = scene.opened("orders.eu");
    NatsEvents.Topic core = scene.opened("news.eu");
    scene.store("orders.eu", "a");
    scene.client().publish("news.eu", "b".getBytes(UTF_8));
    NatsScene.awaitEvents(stored, "stream at -1", "active", "a");
    NatsScene.awaitEvents(core, "active", "b");
    NatsScene.awaitEvents(
        scene.open("other.eu"),
        "refused forbidden: the server denies the node access to this topic");
  }

  private static String jwt(NKey signer, NKey subject, String claim) throws Exception {
    return JwtUtils.issueJWT(
        signer,
        new String(subject.getPublicKey()),
        "test",
        null,
        JwtUtils.currentTimeSeconds(),
        new String(signer.getPublicKey()),
        () -> claim);
  }

  @Test
  void shouldVerifyCertificateAndNameOfTheServer() throws Exception {
    TestCertificate certificate = TestCertificate.create(folder, "server", "EC");
    server =
        NatsServer.startWithTls(
            program, folder, "localhost", certificate.certificate(), certificate.key());
    String trust = certificate.certificate().toString();
    scene =
        new NatsScene(
            server,
            config -> config.with(NatsSettings.TRUST, trust),
            new Options.Builder().sslContext(certificate.trust()));
    scene.awaitLive();
    scene.close();

    scene =
        new NatsScene(
            server, config -> config, new Options.Builder().sslContext(certificate.trust()));
    awaitState("not connected: ", "certification path", "nats.trust");
    scene.close();

    String other = server.url().replace("localhost", "127.0.0.2");
    scene =
        new NatsScene(
            server,
            config ->
                config.with(NatsSettings.TRUST, trust).with(NatsSettings.SERVERS, List.of(other)),
            new Options.Builder().sslContext(certificate.trust()));
    awaitState("not connected: ", "127.0.0.2");
  }
}
