package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigFileTest {
  private static final Map<String, String> VARIABLES =
      Map.of("HOST", "broker.example", "EMPTY", "", "PORT", "7000");

  @Test
  void shouldReadNestedAndDottedKeys() {
    Config config =
        valid(
            """
            server:
              port: 9000
              compression: false
            broker:
              connection-factory: com.example.Factory
              provider: factory
              properties: {brokerURL: "x", retries: 3}
              canary:
                timeout: 3s
            limits.pending-bytes: 2MiB
            timeouts.ping: 90s
            subscribe.topics: [a.>, "b.*"]
            """);
    assertThat(config.get(ServerSettings.PORT)).isEqualTo(9000);
    assertThat(config.get(ServerSettings.COMPRESSION)).isFalse();
    assertThat(config.get(BrokerSettings.CONNECTION_FACTORY)).isEqualTo("com.example.Factory");
    assertThat(config.get(BrokerSettings.PROPERTIES))
        .isEqualTo(Map.of("brokerURL", "x", "retries", "3"));
    assertThat(config.get(LimitSettings.PENDING_BYTES)).isEqualTo(2 << 20);
    assertThat(config.get(TimeoutSettings.PING)).isEqualTo(Duration.ofSeconds(90));
    assertThat(config.get(TopicSettings.SUBSCRIBE_TOPICS)).containsExactly("a.>", "b.*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "# nothing\n", "---\n", "server:\n", "{}"})
  void shouldUseTheDefaultsForAnEmptyFile(String text) {
    assertThat(valid(text).get(ServerSettings.PORT)).isEqualTo(8080);
  }

  @Test
  void shouldNotChangeTexts() {
    Config config = valid("broker: {user: 007, password: 1e3, client-id: 'true'}");
    assertThat(config.get(BrokerSettings.USER)).isEqualTo("007");
    assertThat(config.get(BrokerSettings.PASSWORD)).isEqualTo("1e3");
    assertThat(config.get(BrokerSettings.CLIENT_ID)).isEqualTo("true");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tcp://${HOST}:1 | tcp://broker.example:1",
        "${HOST} | broker.example",
        "${NOPE:-x}${HOST:-y} | xbroker.example",
        "${EMPTY:-x} | x",
        "a${EMPTY}b | ab",
        "$${HOST} | ${HOST}",
        "a$b | a$b",
        "${NOPE:-}z | z",
      })
  void shouldSubstituteEnvironmentVariables(String written, String meant) {
    assertThat(valid("broker.user: " + written).get(BrokerSettings.USER)).isEqualTo(meant);
  }

  @Test
  void shouldSubstituteEnvironmentVariablesInNumbersAndLists() {
    Config config = valid("server: {port: '${PORT}', allowed-origins: ['https://${HOST}']}");
    assertThat(config.get(ServerSettings.PORT)).isEqualTo(7000);
    assertThat(config.get(ServerSettings.ALLOWED_ORIGINS))
        .containsExactly("https://broker.example");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "broker.url: ${NOPE} | f:1:13: broker.url: uses the environment variable NOPE, which is not"
            + " set; expected a text of at most 4096 characters",
        "broker.url: a${1X} | f:1:13: broker.url: contains a variable reference that is not of the"
            + " form ${NAME}; expected a text of at most 4096 characters",
        "server.prot: 1 | f:1:1: server.prot: unknown key; did you mean server.port?",
        "sever.port: 1 | f:1:1: sever.port: unknown key; did you mean server.port?",
        "frame-rate: 1 | f:1:1: frame-rate: unknown key; did you mean limits.frame-rate?",
        "port: 1 | f:1:1: port: unknown key; did you mean admin.port or cluster.port or"
            + " links.port or server.port?",
        "zzz: 1 | f:1:1: zzz: unknown key",
        "limit: {x: 1} | f:1:1: limit: unknown section; did you mean limits?",
        "server: 1 | f:1:9: server: is a section, but its value is a single value; expected keys"
            + " and values",
        "server.port: 65536 | f:1:14: server.port: \"65536\" is too large; expected a whole number"
            + " from 0 to 65535",
        "server.port: -1 | f:1:14: server.port: \"-1\" is too small; expected a whole number from 0"
            + " to 65535",
        "server.port: 99999999999999999999 | f:1:14: server.port: \"99999999999999999999\" is too"
            + " large; expected a whole number from 0 to 65535",
        "server.port: 80.5 | f:1:14: server.port: \"80.5\" is not a whole number; expected a whole"
            + " number from 0 to 65535",
        "server.trusted-proxies: [10.0.0.0/33] | f:1:25: server.trusted-proxies: \"10.0.0.0/33\" is"
            + " not an address or address range; expected an address or range such as 10.0.0.7,"
            + " 10.0.0.0/8, ::1 or 2001:db8::/32",
        "server.proxy-protocol: true | f:1:24: server.trusted-proxies: is empty, but"
            + " server.proxy-protocol needs it; expected the addresses of the proxies",
        "server.forwarded-header: forwarded | f:1:26: server.trusted-proxies: is empty, but"
            + " server.forwarded-header needs it; expected the addresses of the proxies",
        "{auth.cookie: id, server.allowed-origins: ['*']} | f:1:43: server.allowed-origins: *"
            + " allows any page to connect with a visitor's cookie (auth.cookie); expected the"
            + " origins of your own pages",
        "{auth.kerberos.keytab: k, server.allowed-origins: ['*']} |"
            + " f:1:51: server.allowed-origins: * allows any page to connect with a visitor's"
            + " ticket (auth.kerberos.keytab); expected the origins of your own pages",
        "server.port: | f:1:13: server.port: has no value; expected a whole number from 0 to 65535",
        "server.port: [1] | f:1:14: server.port: is a list; expected a whole number from 0 to"
            + " 65535",
        "server.port: !x 1 | f:1:14: server.port: has an unknown YAML tag; quote values that begin"
            + " with !; expected a whole number from 0 to 65535",
        "server.echo: yes | f:1:14: server.echo: \"yes\" is neither true nor false; expected true"
            + " or false",
        "server.transport: uring | f:1:19: server.transport: \"uring\" is not an allowed value;"
            + " expected one of auto, io-uring, epoll, nio",
        "timeouts.ping: 10 | f:1:16: timeouts.ping: \"10\" has no unit; expected a duration such as"
            + " 200ms, 10s, 5m or 1h, from 100ms to 24h",
        "timeouts.ping: 10x | f:1:16: timeouts.ping: \"x\" is not a unit of time; expected a"
            + " duration such as 200ms, 10s, 5m or 1h, from 100ms to 24h",
        "timeouts.ping: 99999999999999999h | f:1:16: timeouts.ping: \"99999999999999999h\" is too"
            + " large; expected a duration such as 200ms, 10s, 5m or 1h, from 100ms to 24h",
        "limits.pending-bytes: 1MB | f:1:23: limits.pending-bytes: \"MB\" is not a unit of size;"
            + " expected a size such as 512B, 64KiB or 1MiB, from 4KiB to 1GiB",
        "subscribe.topics: a | f:1:19: subscribe.topics: \"a\" is a single value; expected a list"
            + " of at most 1000 texts",
        "subscribe.topics: [a, [b]] | f:1:23: subscribe.topics: element 2 is a list; expected a"
            + " list of at most 1000 texts",
        "subscribe.topics: [null] | f:1:20: subscribe.topics: element 1 is null, not a text:"
            + " quote it; expected a list of at most 1000 texts",
        "[a] | f:1:1: contains a list; expected keys and values",
        "{[a]: 1} | f:1:2: a key is a list; expected a name",
        "server.port: 1: 2 | f:1:15: is not YAML: mapping values are not allowed here",
      })
  void shouldReportProblems(String text, String problem) {
    assertThat(problems(text)).containsExactly(problem);
  }

  @Test
  void shouldReportDuplicatesInAnyNotation() {
    String text = "server:\n  port: 1\n  port: 2\nserver.port: 3\nserver:\n  echo: true\n";
    assertThat(problems(text))
        .containsExactly(
            "f:3:3: server.port: is already set at line 2",
            "f:4:1: server.port: is already set at line 2",
            "f:5:1: server: is already set at line 1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{broker: {durable: [a..b], client-id: n}, journal.folder: j} | broker.durable: level 2 of"
            + " \"a..b\" is empty; expected levels joined by dots, * for one level, > at the end"
            + " for all remaining levels",
        "server.protocols: [stom] | server.protocols: no protocol \"stom\"; expected some of http,"
            + " stomp, mqtt, mqtt:PORT (1 to 65535)",
        "server.protocols: ['mqtt:65536'] | server.protocols: no protocol \"mqtt:65536\"; expected"
            + " some of http, stomp, mqtt, mqtt:PORT (1 to 65535)",
        "server.protocols: ['mqtt:8080'] | server.protocols: mqtt:8080 has the port of server.port;"
            + " expected a different port",
        "{server.protocols: ['mqtt:65535'], links.port: 65535} | server.protocols: mqtt:65535 has"
            + " the port of links.port; expected a different port",
        "admin.port: 8080 | admin.port: 8080 is also the value of server.port; expected a different"
            + " port",
        "{broker: {provider: jndi, wildcards: {level: +}}, subscribe.topics: [a.+]} |"
            + " subscribe.topics: level 2 of \"a.+\" has the character '+', which is not allowed"
            + " there; expected levels joined by dots, * for one level, > at the end for all"
            + " remaining levels",
        "subscribe.topics: [a.>, 'stocks.#'] | subscribe.topics: level 2 of \"stocks.#\" has the"
            + " character '#', which is not allowed there; expected levels joined by dots, * for"
            + " one level, > at the end for all remaining levels",
        "nats.topics: [a..b] | nats.topics: level 2 of \"a..b\" is empty; expected levels joined by"
            + " dots, * for one level, > at the end for all remaining levels",
        "topics.presence: [a..b] | topics.presence: level 2 of \"a..b\" is empty; expected levels"
            + " joined by dots, * for one level, > at the end for all remaining levels",
        "topics.durable: [a..b] | topics.durable: level 2 of \"a..b\" is empty; expected levels"
            + " joined by dots, * for one level, > at the end for all remaining levels",
        "topics.shared: ['>.a'] | topics.shared: level 1 of \">.a\" is >, which is only allowed as"
            + " the last level; expected levels joined by dots, * for one level, > at the end for"
            + " all remaining levels",
        "publish.topics: [a..b] | publish.topics: level 2 of \"a..b\" is empty; expected levels"
            + " joined by dots, * for one level, > at the end for all remaining levels",
        "server.allowed-origins: ['https://a/'] | server.allowed-origins: \"https://a/\" is not an"
            + " origin: it ends with a slash; expected https://a",
        "server.allowed-origins: [null] | server.allowed-origins: element 1 is null, not a text:"
            + " quote it; expected a list of at most 1000 texts",
      })
  void shouldReportProblemsBetweenSettings(String text, String problem) {
    assertThat(problems(text)).hasSize(1).first().asString().endsWith(problem).startsWith("f:1:");
  }

  @Test
  void shouldAcceptAnEmptyCanaryPrefix() {
    assertThat(problems("broker.canary: {prefix: '', timeout: 200ms}")).isEmpty();
  }

  @Test
  void shouldReportAnInvalidValueOnce() {
    assertThat(problems("timeouts.ping: 20")).hasSize(1);
  }

  @Test
  void shouldOverrideTheFileByOptions() {
    ConfigDraft draft = ConfigFile.parse("f", "server.port: 1", VARIABLES::get);
    draft.override(ServerSettings.PORT, "2", "--port");
    assertThat(draft.config().get(ServerSettings.PORT)).isEqualTo(2);
    draft.override(ServerSettings.PORT, "x", "--port");
    assertThat(FoundProblems.of(draft))
        .extracting(Problem::toString)
        .containsExactly(
            "--port: server.port: \"x\" is not a whole number; expected a whole number from 0 to"
                + " 65535");
  }

  @Test
  void shouldRejectFilesThatExceedSizeDepthOrDocuments() {
    assertThat(problems("[".repeat(100_000)))
        .containsExactly("f:1:17: is nested deeper than 16 levels");
    assertThat(problems("a: 1\n---\nb: 2\n"))
        .containsExactly("f:2:1: contains a second YAML document; only one is allowed");
    String list = "subscribe.topics: [" + "a,".repeat(1001) + "]";
    assertThat(problems(list)).hasSize(1).first().asString().contains("has 1001 elements");
    assertThat(problems("node.name: " + "a".repeat(4097)))
        .hasSize(1)
        .first()
        .asString()
        .contains("has 4097 characters, more than 4096");
    assertThat(problems("x: '" + "a".repeat(ConfigFile.MAX_BYTES) + "'")).hasSize(1);
  }

  @Test
  void shouldNotFollowCircularAliases() {
    StringBuilder bomb = new StringBuilder("x0: &x0 [a]\n");
    for (int i = 1; i < 60; i++) {
      bomb.append("x%1$d: &x%1$d [*x%2$d, *x%2$d]\n".formatted(i, i - 1));
    }
    assertThat(problems(bomb.append("subscribe.topics: *x59\n").toString()))
        .hasSize(1)
        .first()
        .asString()
        .contains("Number of aliases");
    assertThat(problems("broker: &b {user: a, broker: *b}"))
        .containsExactly("f:1:22: broker.broker: unknown section; did you mean broker?");
  }

  @Test
  void shouldNotShowAPassword() {
    String text = "broker.password: [hunter2]\n";
    assertThat(problems(text).toString()).doesNotContain("hunter2");
  }

  @Test
  void shouldReportUnreadableFiles(@TempDir Path folder) throws IOException {
    Path missing = folder.resolve("missing.yaml");
    assertThat(read(missing)).containsExactly(missing + ": there is no such file");
    assertThat(read(folder)).containsExactly(folder + ": is a folder");
    Path latin =
        Files.write(folder.resolve("l"), "node.name: \u00e9".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(read(latin)).containsExactly(latin + ": is not UTF-8");
    Path large = Files.write(folder.resolve("x"), new byte[ConfigFile.MAX_BYTES + 1]);
    assertThat(read(large)).containsExactly(large + ": has more than 1048576 bytes");
  }

  private static List<String> read(Path file) {
    return texts(ConfigFile.read(file, VARIABLES::get));
  }

  private static Config valid(String text) {
    ConfigDraft draft = ConfigFile.parse("f", text, VARIABLES::get);
    assertThat(FoundProblems.of(draft)).isEmpty();
    return draft.config();
  }

  private static List<String> problems(String text) {
    return texts(ConfigFile.parse("f", text, VARIABLES::get));
  }

  private static List<String> texts(ConfigDraft draft) {
    return FoundProblems.of(draft).stream().map(Problem::toString).toList();
  }
}
