package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.ConfigRules;
import io.sluice.gateway.config.DeadLetterQueues;
import io.sluice.gateway.config.FoundProblems;
import io.sluice.gateway.config.LinkGrants;
import io.sluice.gateway.config.LinkGrants.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rules for links to other nodes. */
final class LinkRulesTest {
  private static final String ROOT = "broker.url: tcp://a:1\nlinks.subscribe: [stocks.>]\n";
  private static final String LEAF = "nodes.roots: ['ws://localhost:9443']\n";

  @TempDir private Path folder;
  private String tls;

  @BeforeEach
  void createFiles() throws IOException {
    StringBuilder settings = new StringBuilder("links.peers: [other]\n");
    for (String name : List.of("certificate", "key", "trust")) {
      Path file = Files.createFile(folder.resolve(name));
      settings.append("links.%s: '%s'%n".formatted(name, file));
    }
    tls = settings.toString();
  }

  private static List<String> problems(String settings) {
    return FoundProblems.of(
        settings,
        findings -> {
          ConfigRules.check(findings);
          LinkRules.check(findings);
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ROOT + "links.port: 9443",
        ROOT + "links: {port: 0, host: '::1', publish: [orders]}",
        ROOT + "links: {port: 0, dial: ['udp://224.0.0.1:1', 'ws://127.0.0.1:9443']}",
        ROOT + "links: {port: 0, dial: ['udp://239.255.255.255:65535']}",
        "broker.url: tcp://a:1\nlinks: {port: 9443, publish: [orders]}",
        ROOT + "links.dial: ['ws://127.0.0.1:9443', 'ws://[::1]:65535/']",
        LEAF,
        LEAF + "nodes.topics: [stocks.>]\nbroker.url: tcp://a:1",
        LEAF + "links: {port: 9444, subscribe: ['>']}",
        "nodes.accept: true\nlinks.port: 9443",
      })
  void shouldAcceptLinksOfOneMachine(String settings) {
    assertThat(problems(settings)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ROOT + "links: {port: 9443, host: 0.0.0.0}",
        ROOT + "links.dial: ['wss://dmz.example.com:9443']",
        "nodes.roots: ['wss://root-1.example.com', 'wss://root-2.example.com:9443']",
        "nodes.accept: true\nlinks: {port: 9443, host: 0.0.0.0}",
      })
  void shouldAcceptLinksWithTls(String settings) {
    assertThat(problems(settings + "\n" + tls)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"root:9443", "https://root", "ws://root:65536", "ws://a:b", "ws://root/x"})
  void shouldReportInvalidUrls(String url) {
    String what = ": \"" + url + "\" is not a URL of a node";
    assertThat(problems("nodes.roots: ['" + url + "']")).contains("nodes.roots" + what);
    assertThat(problems(ROOT + "links.dial: ['" + url + "']")).contains("links.dial" + what);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "239.8.8.1", // without a port
        "239.8.8.2:9444", // an even number
        "223.8.8.1:9444",
        "240.8.8.1:9444",
        "239.8.8.257:9444",
        "239.8.8.1:65536",
        "239.8.8.1:9444/eth0",
        "group.example.com:9444",
        "[ff02::1]:9444"
      })
  void shouldReportInvalidGroups(String group) {
    assertThat(problems(ROOT + "links: {port: 9443, dial: ['udp://" + group + "']}"))
        .containsExactly("links.dial: \"udp://" + group + "\" is not a multicast group");
  }

  @Test
  void shouldReportAGroupWithoutLeavesAndASecondOne() {
    assertThat(problems(ROOT + "links.dial: ['udp://239.8.8.1:9444']"))
        .contains("links.dial: has a group, but serves no node");
    String two = "['udp://239.8.8.1:9444', 'udp://239.8.8.3:9444']";
    assertThat(problems(ROOT + "links: {port: 9443, dial: " + two + "}"))
        .containsExactly("links.dial: has several multicast groups");
  }

  @Test
  void shouldReportUrlsWithoutOrDespiteTls() {
    assertThat(problems("nodes.roots: ['ws://root']"))
        .containsExactly("nodes.roots: \"ws://root\" is not encrypted");
    assertThat(problems(LEAF + tls))
        .containsExactly("nodes.roots: \"ws://localhost:9443\" is not encrypted");
    assertThat(problems(ROOT + "links.dial: ['wss://dmz']"))
        .containsExactly("links.dial: \"wss://dmz\" needs links.certificate");
    assertThat(problems("nodes.roots: ['wss://node:secret@root']"))
        .containsExactly("nodes.roots: \"wss://***@root\" is not a URL of a node");
  }

  @Test
  void shouldReportAPortForOtherMachinesWithoutTls() {
    assertThat(problems(ROOT + "links: {port: 9443, host: 0.0.0.0}"))
        .containsExactly("links.port: is not encrypted at \"0.0.0.0\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"certificate", "key", "trust"})
  void shouldReportEachMissingOrUnreadableFile(String name) {
    String port = ROOT + "links.port: 9443\n";
    String key = "links." + name;
    String others = tls.replaceAll(key + ": .*\n", "");
    assertThat(problems(port + others)).contains(key + ": is missing for TLS of links");
    assertThat(problems(port + others + key + ": absent.pem"))
        .containsExactly(key + ": \"absent.pem\" is not a readable file");
    assertThat(problems(port + key + ": absent.pem")).hasSize(4); // two files, and peers
  }

  @Test
  void shouldReportThatNoPeerIsPermitted() {
    assertThat(problems(ROOT + "links.port: 9443\n" + tls.replaceAll("links.peers: .*\n", "")))
        .containsExactly("links.peers: permits no other node");
  }

  @Test
  void shouldReportTwoWaysToARoot() {
    assertThat(problems(LEAF + "nodes.accept: true\nlinks.port: 9443"))
        .containsExactly("nodes.accept: is set together with nodes.roots");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nodes.accept: true | links.port, which is not set",
        "nodes.topics: [a] | nodes.roots, which is not set",
        "links.host: '::1' | links.port, which is not set",
        "links.subscribe: [a] | links.port, which is not set",
        "links.publish: [a] | links.port, which is not set",
        "links.peers: [a] | links.certificate, which is not set",
        "links.peers: [a] | links",
        "links.certificate: a | links",
        "links.key: a | links",
        "links.trust: a | links",
      })
  void shouldReportKeysWithoutEffect(String setting, String missing) {
    String key = setting.substring(0, setting.indexOf(':'));
    assertThat(problems("broker.url: tcp://a:1\n" + setting))
        .contains(key + ": has no effect without " + missing);
  }

  @ParameterizedTest
  @ValueSource(strings = {"links.port: 9443", "links.dial: ['ws://localhost:9443']"})
  void shouldReportThatNothingIsServed(String setting) {
    assertThat(problems("broker.url: tcp://a:1\n" + setting))
        .containsExactly("links.subscribe: permits no topic to other nodes");
    assertThat(problems(ROOT + "history.messages: 0\n" + setting))
        .containsExactly("history.messages: leaves no log for links.subscribe");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nodes.topics", "links.subscribe", "links.publish"})
  void shouldReportInvalidPatterns(String key) {
    assertThat(problems(LEAF + "links.port: 9443\n" + key + ": [a..b]"))
        .anyMatch(problem -> problem.startsWith(key + ": level 2 of \"a..b\" is empty"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-2", "65536", "a"})
  void shouldReportInvalidPorts(String port) {
    assertThat(problems(ROOT + "links.port: " + port))
        .anyMatch(problem -> problem.startsWith("links.port: "));
  }

  @Test
  void shouldReportTopicsOfSeveralSources() {
    assertThat(problems(LEAF + "broker.url: tcp://a:1"))
        .containsExactly("nodes.topics: leaves no topic to broker.url");
    assertThat(
            problems(
                LEAF
                    + "nodes.topics: [orders.>]\nkafka: {servers: ['k:1'], topics: [a], keyed-topics: [orders]}"))
        .containsExactly("nodes.topics: \"orders.>\" has topics of kafka.servers");
  }

  @Test
  void shouldAcceptEntriesOfAllKinds() {
    String grants = "subscribe: [a.>, 'queue:a', 'durable:a.*', 'shared:>'], publish: ['queue:>']";
    assertThat(problems("broker.url: tcp://a:1\nlinks: {port: 9443, " + grants + "}")).isEmpty();
  }

  @Test
  void shouldReportEntriesOfAnotherKind() {
    assertThat(problems(ROOT + "links: {port: 9443, publish: ['durable:a', 'shared:a', 'queue:']}"))
        .contains(
            "links.publish: \"durable:a\" is a subscription",
            "links.publish: \"shared:a\" is a subscription")
        .hasSize(3);
  }

  @Test
  void shouldSuggestAPrefixForATypo() {
    String grants = "links: {port: 9443, subscribe: [a..b, 'queu:a', 'fx:a', 'a.queue:b', d]}";
    assertThat(problems("broker.url: tcp://a:1\n" + grants))
        .containsExactly(
            "links.subscribe: level 2 of \"a..b\" is empty",
            "links.subscribe: \"queu:a\" has an unknown prefix; did you mean queue:?");
  }

  /** A malformed pattern has no topics, so that it is not reported a second time for those. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "nodes.roots: ['ws://localhost:1 a.>', 'ws://localhost:2 a.>.b']",
        "nodes.roots: ['ws://localhost:1 a.>.b', 'ws://localhost:2 a.>']",
        "nodes: {roots: ['ws://localhost:1'], topics: [a.>.b]}\n"
            + "nats: {servers: ['nats://n:1'], topics: [a.>]}",
      })
  void shouldReportAMalformedPatternOnce(String settings) {
    assertThat(problems(settings))
        .singleElement()
        .asString()
        .contains("level 2 of \"a.>.b\" is >, which is only allowed as the last level");
  }

  @Test
  void shouldPermitOnlyNamesOfTheKind() {
    LinkGrants grants = grants("a.>", "queue:b", "durable:c.*");
    assertThat(grants.permit(Kind.TOPIC, "a.x")).isTrue();
    assertThat(grants.permit(Kind.QUEUE, "b")).isTrue();
    assertThat(grants.permit(Kind.DURABLE, "c.*")).isTrue();
    for (Kind kind : Kind.values()) {
      assertThat(grants.permit(kind, ">")).as("%s", kind).isFalse();
      assertThat(grants.permit(kind, "queue:b")).as("%s", kind).isFalse();
    }
    assertThat(grants.permit(Kind.QUEUE, "a.x")).isFalse();
    assertThat(grants.permit(Kind.SHARED, "c.*")).isFalse();
    assertThat(grants().permit(Kind.TOPIC, "a")).isFalse();
  }

  private static LinkGrants grants(String... entries) {
    return new LinkGrants(List.of(entries), new DeadLetterQueues("failed"));
  }

  @Test
  void shouldPermitDeadLetterQueuesOnlyByName() {
    for (String queue : List.of("failed", "DLQ", "ExpiryQueue", "ActiveMQ.DLQ")) {
      assertThat(grants("queue:>", queue, "queue:*").permit(Kind.QUEUE, queue)).isFalse();
      assertThat(grants("queue:>", "queue:" + queue).permit(Kind.QUEUE, queue)).isTrue();
      assertThat(grants(">").permit(Kind.TOPIC, queue)).as("topic").isTrue();
    }
  }
}
