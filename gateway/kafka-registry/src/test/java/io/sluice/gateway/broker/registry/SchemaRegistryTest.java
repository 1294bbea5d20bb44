package io.sluice.gateway.broker.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.kafka.ValueSchemas.Unreadable;
import io.sluice.gateway.broker.kafka.ValueSchemas.Unwritable;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.testkit.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the client with an HTTP server. A real registry is tested by KafkaRegistryIT. */
final class SchemaRegistryTest {
  private static final String TOPIC = "orders";
  private static final String LONG = "\"long\"";

  @TempDir private Path folder;

  private RegistryServer server;
  private SchemaRegistry registry;

  @BeforeEach
  void start() throws IOException {
    server = new RegistryServer();
    server.add(1, "AVRO", LONG, "[]");
    registry = registry(config());
  }

  @AfterEach
  void stop() {
    registry.stop();
    server.close();
  }

  private Config config() {
    return Config.defaults()
        .with(KafkaSettings.REGISTRY_URL, server.url() + '/')
        .with(KafkaSettings.REGISTRY_TOPICS, List.of(TOPIC));
  }

  private static SchemaRegistry registry(Config config) {
    return new SchemaRegistry(RegistryOptions.of(config));
  }

  private static byte[] value(int id, String hex) {
    return HexFormat.of().parseHex("00%08x%s".formatted(id, hex));
  }

  private String read(byte[] value) throws Unreadable {
    assertThat(registry.awaitReady(TOPIC, value)).isTrue();
    return new String(registry.read(TOPIC, value, 100), UTF_8);
  }

  /** Writes a value when the latest schema is known: a write waits for some seconds only. */
  private String write(String json) throws Unwritable {
    await().until(() -> isKnown(json));
    return writeNow(json);
  }

  private boolean isKnown(String json) {
    try {
      writeNow(json);
      return true;
    } catch (Unwritable e) {
      return !e.getMessage().startsWith("the schema registry does not");
    }
  }

  private String writeNow(String json) throws Unwritable {
    return HexFormat.of().formatHex(registry.write(TOPIC, json.getBytes(UTF_8)));
  }

  @Test
  void shouldRequestASchemaOnce() throws Exception {
    assertThat(read(value(1, "36"))).isEqualTo("27");
    assertThat(read(value(1, "38"))).isEqualTo("28");
    assertThat(server.requests).containsExactly("/schemas/ids/1");
    assertThat(server.credentials).containsExactly("null");
  }

  @Test
  void shouldPassOnValuesWithoutASchema() throws Exception {
    byte[] text = "1".getBytes(UTF_8);
    assertThat(registry.isReady(TOPIC, text)).isTrue();
    assertThat(registry.read(TOPIC, text, 100)).isSameAs(text);
    assertThat(registry.isReady(TOPIC, null)).isTrue();
    byte[] value = value(1, "36");
    assertThat(registry.isReady("others", value)).isTrue();
    assertThat(registry.read("others", value, 100)).isSameAs(value);
    assertThat(registry.write("others", text)).isSameAs(text);
    assertThat(server.requests).isEmpty();
  }

  @Test
  void shouldReadSchemasThatReferToOthers() throws Exception {
    server.add(
        2,
        "PROTOBUF",
        "import 'a.proto'; message M { optional A a = 1; }",
        "[{\"name\":\"a.proto\",\"subject\":\"a/b\",\"version\":3}]");
    server.body(
        "/subjects/a%2Fb/versions/3",
        "{\"schemaType\":\"PROTOBUF\",\"schema\":\"message A { optional int32 n = 1; }\"}");
    assertThat(read(value(2, "000a020805"))).isEqualTo("{\"a\":{\"n\":5}}");
  }

  /** Records outlive the deletion of their schema, and of the schemas to which it refers. */
  @Test
  void shouldReadDeletedSchemasToWhichOthersRefer() throws Exception {
    server.add(
        2,
        "AVRO",
        record("a.Order", "of", "a.Customer"),
        "[{\"name\":\"a.Customer\",\"subject\":\"customer\",\"version\":1}]");
    server.body(
        "/subjects/customer/versions/1",
        "{\"schema\":"
            + JsonText.quoted(record("a.Customer", "in", "a.Country"))
            + ",\"references\":[{\"name\":\"a.Country\",\"subject\":\"country\",\"version\":4}]}");
    server.body(
        "/subjects/country/versions/4",
        "{\"schema\":" + JsonText.quoted(record("a.Country", "code", "string")) + "}");
    server.deleted.add("/subjects/customer/versions/1");
    server.deleted.add("/subjects/country/versions/4");
    assertThat(read(value(2, "046575"))).isEqualTo("{\"of\":{\"in\":{\"code\":\"eu\"}}}");
  }

  private static String record(String name, String field, String type) {
    return "{\"type\":\"record\",\"name\":\"%s\",\"fields\":[{\"name\":\"%s\",\"type\":\"%s\"}]}"
        .formatted(name, field, type);
  }

  @Test
  void shouldNameTheReferenceThatIsMissing() {
    server.add(
        2,
        "AVRO",
        record("a.Order", "of", "a.Customer"),
        "[{\"name\":\"a.Customer\",\"subject\":\"customer\",\"version\":1}]");
    assertThatThrownBy(() -> read(value(2, "046575")))
        .hasMessage(
            "schema 2: the registry has no /subjects/customer/versions/1, to which it refers");
  }

  @Test
  void shouldSendNoRequestWhileAnOverloadedRegistryAsksForAPause() {
    server.status = 429;
    server.retryAfter = "60";
    for (int id = 1; id < 20; id++) {
      assertThat(registry.awaitReady(TOPIC, value(id, "36"))).isFalse();
    }
    assertThat(server.requests).hasSize(1);
  }

  @Test
  void shouldReadJson() throws Exception {
    server.add(3, "JSON", "{}", "[]");
    assertThat(read(value(3, "7b2261223a317d"))).isEqualTo("{\"a\":1}");
    assertThatThrownBy(() -> read(value(3, "7b"))).isInstanceOf(Unreadable.class);
    server.add("orders-value", "latest", 3, "JSON", "{}");
    assertThatThrownBy(() -> write("1")).hasMessageContaining("evaluates no JSON schemas");
  }

  @Test
  void shouldReportValuesThatWillNeverBeReadable() {
    server.add(4, "XML", "<a/>", "[]");
    server.add(5, "AVRO", "{", "[]");
    assertThatThrownBy(() -> read(value(99, "00")))
        .isInstanceOf(Unreadable.class)
        .hasMessage("schema 99: the registry has no such schema");
    assertThatThrownBy(() -> read(value(4, "00")))
        .hasMessage("schema 4: schemas of type XML are not read");
    assertThatThrownBy(() -> read(value(5, "00"))).hasMessageContaining("is malformed");
    assertThatThrownBy(() -> read(new byte[] {0, 0, 0}))
        .hasMessage("the value has no id of a schema");
    assertThatThrownBy(() -> read(value(1, "")))
        .hasMessageStartingWith("a value of schema 1 is malformed: ");
    assertThatThrownBy(() -> registry.read(TOPIC, value(1, "80ade204"), 5))
        .hasMessageContaining("larger than the limit");
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 429, 500, 503, 302})
  void shouldWaitForARegistryThatIsUnavailable(int status) throws Exception {
    server.status = status;
    byte[] value = value(1, "36");
    assertThat(registry.awaitReady(TOPIC, value)).isFalse();
    assertThat(registry.isReady(TOPIC, value)).isFalse();
    assertThatThrownBy(() -> writeNow("1"))
        .isInstanceOf(Unwritable.class)
        .hasMessage("the schema registry does not provide the schema of orders-value");
    server.status = 0;
    await().until(() -> registry.isReady(TOPIC, value));
    assertThat(read(value)).isEqualTo("27");
  }

  @Test
  void shouldNotReadAResponseThatIsTooLarge() throws Exception {
    server.add(6, "AVRO", "x".repeat(5 << 20), "[]");
    assertThat(registry.awaitReady(TOPIC, value(6, "36"))).isFalse();
    server.add(6, "AVRO", LONG, "[]");
    await().until(() -> registry.awaitReady(TOPIC, value(6, "36")));
  }

  /** The path of another server: a response with 404 that is not the registry's. */
  @Test
  void shouldWaitIfAnotherServerResponds() {
    server.body("/schemas/ids/1", "<html>");
    assertThat(registry.awaitReady(TOPIC, value(1, "36"))).isFalse();
    server.status = 404;
    server.body("/schemas/ids/1", "{\"error\":\"no such page\"}");
    assertThat(registry.awaitReady(TOPIC, value(1, "36"))).isFalse();
  }

  @Test
  void shouldNotWaitForARegistryThatDoesNotRespond() {
    server.status = -1;
    for (int id = 1; id < 1_000; id++) {
      assertThat(registry.isReady(TOPIC, value(id, "36"))).isFalse();
    }
    await().until(() -> server.requests.size() == 1);
  }

  @Test
  void shouldWriteTheLatestSchemaOfTheSubject() throws Exception {
    server.add("orders-value", "latest", 7, "AVRO", LONG);
    assertThat(write("27")).isEqualTo("000000000736");
    assertThat(write("28")).isEqualTo("000000000738");
    assertThat(server.requests).containsExactly("/subjects/orders-value/versions/latest");
  }

  @Test
  void shouldExplainRefusedPublishes() {
    assertThatThrownBy(() -> write("1"))
        .isInstanceOf(Unwritable.class)
        .hasMessage(
            "orders-value: the registry has no such subject, and the node uses TopicNameStrategy"
                + " only");
    registry.stop();
    registry = registry(config());
    server.add("orders-value", "latest", 7, "AVRO", LONG);
    assertThatThrownBy(() -> write("\"x\""))
        .hasMessage("schema 7 of orders-value: the payload must be a number, not \"x\"");
    assertThatThrownBy(() -> write("text")).hasMessageContaining("the payload is not JSON");
  }

  @Test
  void shouldSendThePasswordOfAFileThatChanges() throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), "node:first");
    registry.stop();
    registry = registry(config().with(KafkaSettings.REGISTRY_SECRET_FILE, file.toString()));
    server.add(2, "AVRO", LONG, "[]");
    read(value(1, "36"));
    Files.writeString(file, "node:second");
    read(value(2, "36"));
    assertThat(server.credentials)
        .containsExactly("Basic bm9kZTpmaXJzdA==", "Basic bm9kZTpzZWNvbmQ=");
  }

  @Test
  void shouldSendAToken() throws Exception {
    registry.stop();
    registry = registry(config().with(KafkaSettings.REGISTRY_SECRET, "secret"));
    read(value(1, "36"));
    assertThat(server.credentials).containsExactly("Bearer secret");
  }

  /** A registry that rejects the node loses no message. */
  @Test
  void shouldWaitForASecretThatIsUsable() {
    registry.stop();
    registry = registry(config().with(KafkaSettings.REGISTRY_SECRET, "to\u0001ken"));
    assertThat(registry.awaitReady(TOPIC, value(1, "36"))).isFalse();
    assertThat(server.requests).isEmpty();
  }

  @Test
  void shouldTrustTheConfiguredAuthorities() throws Exception {
    TestAuthority authority = TestAuthority.create(folder, "registry");
    server.close();
    server = RegistryServer.secured(authority);
    server.add(1, "AVRO", LONG, "[]");
    registry.stop();
    registry = registry(config());
    assertThat(registry.awaitReady(TOPIC, value(1, "36"))).isFalse();
    registry.stop();
    registry =
        registry(config().with(KafkaSettings.REGISTRY_TRUST, authority.certificate().toString()));
    assertThat(read(value(1, "36"))).isEqualTo("27");
  }

  @Test
  void shouldReportAuthoritiesThatCannotBeUsed() throws Exception {
    Path file = Files.writeString(folder.resolve("ca.pem"), "");
    assertThat(
            RegistryOptions.of(config().with(KafkaSettings.REGISTRY_TRUST, file.toString()))
                .trustProblem())
        .isEqualTo(file + " cannot be used: it has no PEM certificate");
    assertThat(
            RegistryOptions.of(config().with(KafkaSettings.REGISTRY_TRUST, "/absent"))
                .trustProblem())
        .isEqualTo("/absent cannot be used: there is no such file");
  }
}
