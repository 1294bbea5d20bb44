package io.sluice.gateway.audit.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.FoundProblems;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AuditFileTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<AuditEvent> ALL = EnumSet.allOf(AuditEvent.class);
  private static final Peer ANN =
      new Peer(
          "gw-1-1-7",
          "192.0.2.1",
          new Principal("ann", Mechanism.JWT, "t-1", 0, Principal.NEVER, Map.of()));

  private static final Operator OPERATOR = new Operator("127.0.0.1", "admin.token-file:3");

  private final AtomicLong clockNs = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  @TempDir private Path folder;

  private AuditFile open(Set<AuditEvent> kept, int rate, int waiting) throws IOException {
    return open(file(), kept, rate, waiting);
  }

  private AuditFile open(Path file, Set<AuditEvent> kept, int rate, int waiting)
      throws IOException {
    AuditWriter writer = new AuditWriter(AuditTarget.of(file), "gw-1", rate, waiting, clockNs::get);
    AuditFile log = new AuditFile(kept, writer);
    log.onDropped(dropped::addAndGet);
    return log;
  }

  private Path file() {
    return folder.resolve("audit.log");
  }

  private static List<JsonNode> lines(Path file) {
    try {
      return Files.readAllLines(file).stream().map(AuditFileTest::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException e) {
      throw new AssertionError("no JSON: " + line, e);
    }
  }

  @Test
  void shouldWriteOneJsonObjectPerLine() throws IOException {
    try (AuditFile log = open(ALL, 100, 64)) {
      log.connected(ANN);
      log.refused(ANN, "subscribe", AuditLog.Resource.topic("orders.1"), "forbidden");
      log.revoked("subject", "ann", OPERATOR, 2);
    }

    List<JsonNode> lines = lines(file());
    assertThat(lines).hasSize(3);
    ObjectNode first = lines.get(0).deepCopy();
    first.remove("time");
    assertThat((JsonNode) first)
        .isEqualTo(
            parse(
                """
                {"node":"gw-1","event":"connected","session":"gw-1-1-7","subject":"ann",
                 "mechanism":"jwt","token":"t-1","address":"192.0.2.1"}
                """));
    assertThat(lines.get(0).get("time").asText()).matches("20..-..-..T.*Z");
    assertThat(lines.get(1).get("what").asText()).isEqualTo("subscribe");
    assertThat(lines.get(1).get("topic").asText()).isEqualTo("orders.1");
    assertThat(lines.get(1).get("why").asText()).isEqualTo("forbidden");
    assertThat(lines.get(2).get("value").asText()).isEqualTo("ann");
    assertThat(lines.get(2).get("by").asText()).isEqualTo("127.0.0.1");
    assertThat(lines.get(2).get("with").asText()).isEqualTo("admin.token-file:3");
    assertThat(lines.get(2).get("count").asInt()).isEqualTo(2);
  }

  @Test
  void shouldNameConsumedAndDeletedSubscriptions() throws IOException {
    try (AuditFile log = open(ALL, 100, 64)) {
      log.consuming(ANN, new AuditLog.Resource("queue", "orders"));
      log.consuming(ANN, AuditLog.Resource.topic("orders.>"));
      log.deleted(ANN, "orders.>", "desk-1");
    }
    List<JsonNode> lines = lines(file());
    assertThat(lines.get(0).get("event").asText()).isEqualTo("consuming");
    assertThat(lines.get(0).get("queue").asText()).isEqualTo("orders");
    assertThat(lines.get(1).get("topic").asText()).isEqualTo("orders.>");
    assertThat(lines.get(2).get("event").asText()).isEqualTo("deleted");
    assertThat(lines.get(2).get("topic").asText()).isEqualTo("orders.>");
    assertThat(lines.get(2).get("value").asText()).isEqualTo("desk-1");
  }

  @Test
  void shouldEscapeLineFeedsInTexts() throws IOException {
    String evil = "a\"}\n{\"event\":\"revoked\"\r\u0000\u001b[2J";
    try (AuditFile log = open(ALL, 100, 64)) {
      log.refused(ANN, "subscribe", AuditLog.Resource.topic(evil), "forbidden");
    }

    assertThat(lines(file())).hasSize(1);
    assertThat(lines(file()).get(0).get("topic").asText()).isEqualTo(evil);
  }

  @Test
  void shouldTruncateLongTexts() throws IOException {
    try (AuditFile log = open(ALL, 100, 64)) {
      log.subscribed(ANN, "x".repeat(AuditRecord.MAX_TEXT + 1));
      log.subscribed(ANN, "y".repeat(AuditRecord.MAX_TEXT));
    }

    assertThat(lines(file()).get(0).get("topic").asText())
        .isEqualTo("x".repeat(AuditRecord.MAX_TEXT) + "\u2026");
    assertThat(lines(file()).get(1).get("topic").asText()).doesNotContain("\u2026");
  }

  @Test
  void shouldRecordOnlyConfiguredEvents() throws IOException {
    try (AuditFile log = open(EnumSet.of(AuditEvent.REFUSED), 100, 64)) {
      log.connected(ANN);
      log.refused(ANN, "connect", null, "expired");
    }

    assertThat(lines(file()))
        .extracting(line -> line.get("event").asText())
        .containsOnly("refused");
  }

  @Test
  void shouldReportTheNumberOfEventsAboveTheRate() throws IOException {
    try (AuditFile log = open(ALL, 6, 64)) { // one principal has half
      for (int i = 0; i < 10; i++) {
        log.connected(ANN);
      }
      log.revoked("subject", "ann", OPERATOR, 2);
      await().untilAsserted(() -> assertThat(dropped).hasValue(7));
      await().untilAsserted(() -> assertThat(lines(file())).hasSize(4));
      clockNs.addAndGet(1_000_000_000);
      await().untilAsserted(() -> assertThat(lines(file())).hasSize(5));
      log.disconnected(ANN, "idle", null);
    }

    List<JsonNode> lines = lines(file());
    assertThat(lines)
        .extracting(line -> line.get("event").asText())
        .containsExactly(
            "connected", "connected", "connected", "revoked", "dropped", "disconnected");
    assertThat(lines.get(4).get("count").asInt()).isEqualTo(7);
  }

  private static Peer peer(String subject, Mechanism mechanism, String address) {
    return new Peer(
        "gw-1-1-" + subject,
        address,
        new Principal(subject, mechanism, "", 0, Principal.NEVER, Map.of()));
  }

  @Test
  void shouldAggregateRepeatedRefusalsOfASession() throws IOException {
    AuditLog.Resource topic = AuditLog.Resource.topic("orders");
    try (AuditFile log = open(ALL, 100, 1024)) {
      for (int i = 0; i < 300; i++) {
        log.refused(ANN, "publish", topic, "rate-limited");
      }
      log.refused(ANN, "publish", AuditLog.Resource.topic("other"), "rate-limited");
      log.refused(ANN, "publish", topic, "forbidden");
      log.refused(peer("bob", Mechanism.JWT, "192.0.2.2"), "publish", topic, "rate-limited");
      await().untilAsserted(() -> assertThat(lines(file())).hasSize(4));
      clockNs.addAndGet(1_000_000_000);
      await().untilAsserted(() -> assertThat(lines(file())).hasSize(5));
      log.refused(ANN, "publish", topic, "rate-limited");
      log.refused(ANN, "publish", topic, "rate-limited");
    }
    List<JsonNode> lines = lines(file());
    assertThat(lines)
        .extracting(line -> line.path("count").asLong(1))
        .containsExactly(1L, 1L, 1L, 1L, 299L, 1L, 1L);
    assertThat(lines.get(4).get("subject").asText()).isEqualTo("ann");
    assertThat(lines.get(4).get("why").asText()).isEqualTo("rate-limited");
    assertThat(dropped).hasValue(0);
  }

  /** Different topics are different events: only the shares protect others. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRecordTheRefusalsOfOthersDuringAFlood(boolean anonymous) throws IOException {
    Peer flooding =
        anonymous
            ? new Peer("gw-1-1-8", "192.0.2.66", Principal.ANONYMOUS)
            : peer("mallory", Mechanism.JWT, "192.0.2.66");
    try (AuditFile log = open(ALL, 100, 8192)) {
      for (int i = 0; i < 3000; i++) {
        log.refused(flooding, "publish", AuditLog.Resource.topic("t" + i), "rate-limited");
      }
      for (int i = 0; i < 20; i++) {
        Peer other =
            anonymous
                ? new Peer("gw-1-2-" + i, "192.0.2.2", Principal.ANONYMOUS)
                : peer("bob", Mechanism.JWT, "192.0.2.66");
        log.refused(other, "subscribe", AuditLog.Resource.topic("secret." + i), "forbidden");
      }
    }
    assertThat(lines(file()).stream().filter(line -> line.path("why").asText().equals("forbidden")))
        .hasSize(20);
  }

  /** The disk hangs: the queue is full for the client that floods it, and for no other one. */
  @Test
  void shouldQueueTheEventsOfOthersDuringAFlood() throws Exception {
    Path home = Files.createDirectory(folder.resolve("home"));
    Path file = home.resolve("audit.log");
    AuditFile log = open(file, ALL, 10_000, 256);
    Files.delete(file);
    Files.delete(home);
    log.connected(ANN);
    await().untilAsserted(() -> assertThat(dropped).hasValue(1)); // retried a second later
    for (int i = 0; i < 5000; i++) {
      log.refused(ANN, "publish", AuditLog.Resource.topic("t" + i), "rate-limited");
    }
    for (int i = 0; i < 40; i++) {
      log.refused(
          peer("bob", Mechanism.JWT, "192.0.2.1"),
          "subscribe",
          AuditLog.Resource.topic("secret." + i),
          "forbidden");
    }
    Files.createDirectory(home);
    log.close();
    assertThat(lines(file).stream().filter(line -> line.path("why").asText().equals("forbidden")))
        .hasSize(40);
  }

  @Test
  void shouldDiscardEventsAfterClose() throws IOException {
    AuditFile log = open(ALL, 100, 64);
    log.close();
    log.connected(ANN);

    assertThat(dropped).hasValue(1);
    assertThat(lines(file())).isEmpty();
  }

  @Test
  void shouldCreateANewFileAfterLogRotation() throws IOException {
    Path old = folder.resolve("audit.log.1");
    try (AuditFile log = open(ALL, 100, 64)) {
      log.connected(ANN);
      await().untilAsserted(() -> assertThat(lines(file())).hasSize(1));
      Files.move(file(), old);
      log.disconnected(ANN, "idle", null);
    }

    assertThat(lines(old)).extracting(line -> line.get("event").asText()).containsOnly("connected");
    assertThat(lines(file()))
        .extracting(line -> line.get("event").asText())
        .containsOnly("disconnected");
  }

  @Test
  void shouldAppendToAnExistingFile() throws IOException {
    Files.writeString(file(), "{}\n");
    try (AuditFile log = open(ALL, 100, 64)) {
      log.connected(ANN);
    }

    assertThat(lines(file())).hasSize(2);
  }

  @Test
  void shouldCountEventsThatCouldNotBeWritten() throws IOException {
    Path home = Files.createDirectory(folder.resolve("home"));
    AuditFile log = open(home.resolve("audit.log"), ALL, 100, 64);
    Files.delete(home.resolve("audit.log"));
    Files.delete(home);
    log.connected(ANN);
    await().untilAsserted(() -> assertThat(dropped).hasValue(1));
    Files.createDirectory(home);
    log.disconnected(ANN, "idle", null);
    log.close();

    assertThat(lines(home.resolve("audit.log")))
        .extracting(line -> line.get("event").asText())
        .containsExactly("dropped", "disconnected");
  }

  @Test
  void shouldNotBlockCallersWhileTheDiskHangs() throws IOException {
    Path home = Files.createDirectory(folder.resolve("home"));
    Path file = home.resolve("audit.log");
    AuditFile log = open(file, ALL, 100, 16);
    Files.delete(file);
    Files.delete(home);
    log.connected(ANN);
    await().untilAsserted(() -> assertThat(dropped).hasValue(1));
    for (int i = 0; i < 40; i++) {
      log.connected(ANN);
    }
    assertThat(dropped).hasValueGreaterThanOrEqualTo(1 + 40 - 16);
    Files.createDirectory(home);
    log.close();

    long told = lines(file).stream().mapToLong(line -> line.path("count").asLong()).sum();
    long kept = lines(file).stream().filter(line -> line.has("session")).count();
    assertThat(told + kept).isEqualTo(41);
  }

  @Test
  void shouldReportAFileThatCannotBeWritten() {
    Path file = folder.resolve("none").resolve("audit.log");
    Config config = Config.defaults().with(AdminSettings.AUDIT_FILE, file.toString());

    assertThatThrownBy(() -> AuditFile.open(AuditOptions.of(config)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file + " cannot be written: ");
  }

  @Test
  void shouldReportUnknownEvents() {
    ConfigFindings findings = FoundProblems.reading("audit.events: [conected]");
    AuditFile.check(findings);

    assertThat(findings.problems())
        .singleElement()
        .asString()
        .startsWith(
            "f:1:15: audit.events: \"conected\" is unknown; did you mean connected?; expected some"
                + " of connected, refreshed,");
  }

  @Test
  void shouldRecordOperatorsInMemoryByDefault() throws IOException {
    assertThat(AuditFile.open(AuditOptions.of(Config.defaults()))).isInstanceOf(AuditMemory.class);
  }

  @Test
  void shouldAllowOnlyOwnerAndGroupToReadTheFile() throws IOException {
    open(ALL, 100, 64).close();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .endsWith("---");
  }
}
