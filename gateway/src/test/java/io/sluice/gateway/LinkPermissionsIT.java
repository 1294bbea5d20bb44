package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.TestBroker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Product of operations and tiers: a client at the leaf of a relay uses names that all tiers
 * permit, or all but one.
 */
@Timeout(300)
final class LinkPermissionsIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");

  /** First levels of names; each tier permits all but its own. */
  private static final List<String> LEVELS = List.of("all", "leaf", "relay", "root");

  /** Operations on names below a level L. */
  private static final Map<String, String> OPERATIONS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("subscribe", "'type':'subscribe','topic':'L.sub'"),
              Map.entry("pattern", "'type':'subscribe','topic':'L.some.*'"),
              Map.entry("durable", "'type':'consume','topic':'L.kept','durable':'d','credit':0"),
              Map.entry("shared", "'type':'consume','topic':'L.kept','shared':'s','credit':0"),
              Map.entry("consume", "'type':'consume','queue':'L.taken','credit':0"),
              Map.entry("browse", "'type':'browse','queue':'L.taken'"),
              Map.entry("publish", "'type':'publish','topic':'L.out','payload':'x'"),
              Map.entry("send", "'type':'publish','queue':'L.out','payload':'x'"),
              Map.entry(
                  "reply topic",
                  "'type':'publish','topic':'all.out','payload':'x','replyTo':{'topic':'L.in'}"),
              Map.entry(
                  "reply queue",
                  "'type':'publish','queue':'all.out','payload':'x','replyTo':{'queue':'L.in'}"),
              Map.entry(
                  "transaction",
                  "'type':'transaction','publish':[{'queue':'L.out','payload':'x'}]"),
              Map.entry(
                  "reply in transaction",
                  "'type':'transaction','publish':[{'queue':'all.out','payload':'x',"
                      + "'replyTo':{'queue':'L.in'}}]"),
              Map.entry(
                  "request", "'type':'request','queue':'L.asked','payload':'x','timeout':100"),
              Map.entry("delete", "'type':'delete','topic':'L.never','durable':'d'")));

  private static final List<String> OF_QUEUES =
      List.of("consume", "browse", "send", "reply queue", "transaction", "request");

  private static final Map<String, String> QUEUES =
      new TreeMap<>(
          Map.of(
              "ActiveMQ.DLQ", "leaf",
              "ExpiryQueue", "beyond the leaf",
              "failed", "beyond the leaf",
              "DLQ", ""));

  private static List<String> permitted(String tier) {
    return LEVELS.stream().filter(each -> !each.equals(tier)).map(each -> each + ".>").toList();
  }

  private static Config serving(Config config, String tier) {
    List<String> topics = permitted(tier);
    return config
        .with(LinkSettings.PORT, 0)
        .with(LinkSettings.PUBLISH, entries(topics, "", "queue:"))
        .with(LinkSettings.SUBSCRIBE, entries(topics, "", "queue:", "durable:", "shared:"));
  }

  private static List<String> entries(List<String> patterns, String... prefixes) {
    return patterns.stream()
        .flatMap(each -> Stream.of(prefixes).map(prefix -> prefix + each))
        .toList();
  }

  private static Config leaf(TestNode root) {
    return TestNode.config("artemis", "")
        .with(LinkSettings.ROOTS, List.of("ws://127.0.0.1:" + root.gateway().linkPort()));
  }

  private static Config clients(Config config, TestIssuer issuer, List<String> names) {
    return config
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(TopicSettings.SUBSCRIBE_TOPICS, names)
        .with(TopicSettings.PUBLISH_TOPICS, names)
        .with(TopicSettings.TOPICS_DURABLE, names)
        .with(TopicSettings.TOPICS_SHARED, names)
        .with(TopicSettings.QUEUES_SEND, names)
        .with(TopicSettings.QUEUES_CONSUME, names)
        .with(TopicSettings.QUEUES_BROWSE, names);
  }

  private static TestNode started(Config config) {
    TestNode node = TestNode.start(config);
    node.awaitReady();
    return node;
  }

  private static FrameClient connect(TestNode node) {
    JwtClaims claims = claims();
    claims.setSubject("alice");
    FrameClient client = new FrameClient(node.json());
    client.send("'type':'connect','token':'" + KEY.sign(claims) + "'");
    client.await("hello");
    return client;
  }

  /** Returns where an operation is forbidden; empty if it is not. */
  private static String refusal(FrameClient client, int ref, String operation) {
    client.send(operation + ",'ref':" + ref);
    JsonNode answer = client.next();
    while (answer.path("ref").asInt() != ref) {
      answer = client.next();
    }
    if (!answer.path("code").asText().equals("forbidden")) {
      return ""; // others show that it was tried
    }
    return answer.get("message").asText().contains("of the root") ? "beyond the leaf" : "leaf";
  }

  @Test
  void shouldPermitOnlyWhatAllTiersPermit() throws Exception {
    try (TestIssuer issuer = TestIssuer.start();
        TestBroker broker = TestBroker.start("artemis");
        TestNode root = started(serving(TestNode.config("artemis", broker.url()), "root"));
        TestNode relay = started(serving(leaf(root), "relay"))) {
      issuer.publish(KEY);
      try (TestNode leaf = started(clients(leaf(relay), issuer, permitted("leaf")));
          FrameClient client = connect(leaf)) {
        List<String> wrong = new ArrayList<>();
        int ref = 1;
        for (Map.Entry<String, String> each : OPERATIONS.entrySet()) {
          for (String level : LEVELS) {
            String refused = refusal(client, ++ref, each.getValue().replace("L.", level + "."));
            String expected =
                switch (level) {
                  case "all" -> "";
                  case "leaf" -> "leaf";
                  default -> "beyond the leaf";
                };
            if (!refused.equals(expected)) {
              wrong.add(each.getKey() + " of " + level + ": " + refused);
            }
          }
        }
        assertThat(wrong).as("answers that differ from the permissions").isEmpty();
      }
    }
  }

  /** Queues that no wildcard permits, and where each is forbidden; all tiers name the last. */
  @Test
  void shouldPermitDeadLettersAndInternalQueuesOnlyByName() throws Exception {
    List<String> links = List.of(">", "queue:>", "queue:DLQ");
    try (TestIssuer issuer = TestIssuer.start();
        TestBroker broker = TestBroker.start("artemis");
        TestNode root =
            started(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.QUEUES_DEAD_LETTER, "failed")
                    .with(LinkSettings.PORT, 0)
                    .with(LinkSettings.PUBLISH, links)
                    .with(LinkSettings.SUBSCRIBE, links))) {
      issuer.publish(KEY);
      List<String> named = List.of(">", "DLQ", "ExpiryQueue");
      try (TestNode leaf = started(clients(leaf(root), issuer, named));
          FrameClient client = connect(leaf)) {
        Map<String, String> actual = new TreeMap<>();
        int ref = 1;
        for (String queue : QUEUES.keySet()) {
          for (String operation : OF_QUEUES) {
            String members = OPERATIONS.get(operation).replaceAll("'L\\.\\w+'", "'" + queue + "'");
            String refused = refusal(client, ++ref, members.replace("all.out", queue));
            actual.merge(queue, refused, (a, b) -> a.equals(b) ? a : a + ", " + b);
          }
        }
        assertThat(actual).isEqualTo(QUEUES);
      }
    }
  }
}
