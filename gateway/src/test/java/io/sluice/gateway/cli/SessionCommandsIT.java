package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands for sessions, messages, audit records and configuration at a real node with a token. */
@Timeout(180)
final class SessionCommandsIT {
  private static final String TOKEN = "0123456789abcdef";
  private static final String WRONG = "fedcba9876543210";

  @TempDir private Path folder;
  private TestBroker broker;
  private TestNode node;
  private RawWebSocket client;

  @BeforeEach
  void start() throws IOException {
    for (String token : List.of(TOKEN, WRONG)) {
      Files.writeString(folder.resolve(token), token);
    }
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config("artemis", broker.url())
                .with(AdminSettings.TOKEN, TOKEN)
                .with(AdminSettings.TAIL_PAYLOAD, true));
    node.awaitReady();
    client = node.json();
    client.subscribe(1, "prices.eu");
  }

  @AfterEach
  void stop() {
    client.close();
    node.close();
    broker.close();
  }

  private CommandRun run(String... arguments) {
    return runWith(TOKEN, admin(), arguments);
  }

  private String admin() {
    return "http://127.0.0.1:" + node.gateway().adminPort();
  }

  private CommandRun runWith(String token, String admin, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--admin", admin, "--token-file", folder.resolve(token).toString()));
    return CommandRun.of(all);
  }

  private String session() {
    JsonObject clients = new JsonObject(node.admin("/clients").body());
    return clients.getJsonArray("clients").getJsonObject(0).getString("session");
  }

  @Tag("full")
  @Test
  void shouldEndASession() {
    String session = session();
    CommandRun ended = run("disconnect", session);
    assertThat(ended).isEqualTo(new CommandRun(0, "test-node: " + session + " has ended\n", ""));
    assertThat(client.awaitClose()).isEqualTo(4004);
    CommandRun again = run("disconnect", session + "9");
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.err())
        .isEqualTo(
            "sluice disconnect: %s: 404 no node that responded has the session %s9\n"
                .formatted(admin(), session));
  }

  @Test
  void shouldReportThatNoOtherNodeIsUp() {
    CommandRun redirect = run("redirect", session());
    assertThat(redirect.code()).isEqualTo(1);
    assertThat(redirect.err())
        .isEqualTo(
            "sluice redirect: %s: 409 no other node is up and has a cluster.public-url\n"
                .formatted(admin()));
  }

  @Tag("full")
  @Test
  void shouldPrintTheFramesOfATrace() throws Exception {
    String session = session();
    CompletableFuture<CommandRun> trace =
        CompletableFuture.supplyAsync(() -> run("trace", session, "--for", "2s"));
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      while (!trace.isDone()) {
        publisher.text("prices.eu", "x");
        client.await("message");
      }
    }
    assertThat(trace.join().code()).isZero();
    assertThat(trace.join().lines().get(0)).matches("time +direction +type +topic +B");
    assertThat(trace.join().lines().get(1)).matches("20.*Z +out +message +prices\\.eu +\\d+");
    CommandRun tooLong = run("trace", session, "--for", "5m");
    assertThat(tooLong.code()).isEqualTo(2);
    assertThat(tooLong.err()).contains("--for 5m is longer than 280s");
  }

  @Tag("full")
  @Test
  void shouldPrintTheMessagesOfATopic() throws Exception {
    CompletableFuture<CommandRun> tail =
        CompletableFuture.supplyAsync(() -> run("tail", "prices.eu", "--limit", "2"));
    CompletableFuture<CommandRun> json =
        CompletableFuture.supplyAsync(() -> run("tail", "prices.eu", "--limit", "1", "--json"));
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      while (!tail.isDone() || !json.isDone()) {
        publisher.text("prices.eu", "first");
        client.await("message");
      }
    }
    assertThat(tail.join().code()).isZero();
    assertThat(tail.join().lines())
        .hasSize(2)
        .allMatch(line -> line.matches("20.*Z  prices\\.eu  text of 5 B.*  first"));
    JsonObject event = new JsonObject(json.join().out());
    assertThat(event.getString("payload")).isEqualTo("first");
    CommandRun none = run("tail", "prices.us");
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err())
        .isEqualTo("sluice tail: " + admin() + ": 404 no client of this node subscribes to it\n");
  }

  @Tag("full")
  @Test
  void shouldSearchAuditRecords() {
    String session = session();
    run("disconnect", session);
    CommandRun audit = run("audit", "--search", session, "--kind", "commanded");
    assertThat(audit.code()).isZero();
    assertThat(audit.lines()).hasSize(2);
    assertThat(audit.lines().get(1))
        .matches(
            "20.*Z +test-node +commanded +by=127\\.0\\.0\\.1 with=admin\\.token what=disconnect value="
                + session);
    assertThat(run("audit", "--search", "nothing").lines()).hasSize(1);
    CommandRun unknown = run("audit", "--kind", "unknown");
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).contains("--kind unknown is none of connected");
  }

  @Tag("full")
  @Test
  void shouldPrintTheEffectiveConfiguration() {
    CommandRun config = run("config", "--search", "admin.t");
    assertThat(config.code()).isZero();
    assertThat(config.lines().get(0)).matches("key +origin +file +value");
    assertThat(config.lines())
        .anyMatch(line -> line.matches("admin\\.token +program +- +\\*\\*\\*"));
    assertThat(config.lines()).allMatch(line -> line.matches("(key|admin\\.t).*"));
    assertThat(config.out()).doesNotContain(TOKEN);
  }

  @Tag("full")
  @Test
  void shouldReportAWrongTokenAndAnUnreachableNode() {
    for (String command : List.of("disconnect", "redirect", "trace", "tail")) {
      CommandRun refused = runWith(WRONG, admin(), command, "x");
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err())
          .isEqualTo(
              "sluice %s: %s: 401 the token is invalid for this node\n"
                  .formatted(command, admin()));
      CommandRun unreachable = runWith(TOKEN, "http://127.0.0.1:1", command, "x");
      assertThat(unreachable.code()).isEqualTo(1);
      assertThat(unreachable.err())
          .isEqualTo(
              "sluice %s: http://127.0.0.1:1: not reachable: connection refused\n"
                  .formatted(command));
    }
  }
}
