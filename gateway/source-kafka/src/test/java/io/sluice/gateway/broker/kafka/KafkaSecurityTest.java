package io.sluice.gateway.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.testkit.KafkaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.acl.AclOperation;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a server with TLS, authentication and rules of access. */
@Tag("full")
final class KafkaSecurityTest {
  private static final String DENIED_READ =
      "refused FORBIDDEN: the cluster does not permit this node to read this topic (Describe,"
          + " Read)";
  private static final String DENIED_WRITE =
      "forbidden: the cluster does not permit this node to publish to this topic (Describe,"
          + " Write)";

  @TempDir private static Path folder;

  private static KafkaProcess server;
  private static KafkaTopics topics;

  @BeforeAll
  static void startServer() {
    server = KafkaProcess.startSecured(folder, "node", "reader");
    topics = new KafkaTopics(server.server(), server.clientProperties("admin", "admin"));
  }

  @AfterAll
  static void stopServer() {
    topics.close();
    server.close();
  }

  private static SourceScene scene(Map<String, String> properties, String... names) {
    return SourceScene.start(config(names).with(KafkaSettings.PROPERTIES, properties));
  }

  private static Config config(String... names) {
    return SourceScene.config(server.server(), List.of(names), List.of());
  }

  private static Map<String, String> user(String name) {
    return server.clientProperties(name, name);
  }

  private static ConditionFactory within() {
    return Awaitility.await().atMost(Duration.ofMinutes(1));
  }

  private static String publish(SourceScene scene, String topic) throws Exception {
    PublishOutcome outcome = new PublishOutcome();
    scene.source.publish(
        new Publication(
            Destination.topic(topic),
            PayloadKind.TEXT,
            topic.getBytes(UTF_8),
            Map.of(),
            PublishHeaders.DEFAULT),
        outcome);
    return outcome.await();
  }

  @Test
  void shouldServePermittedTopicsBesideOthers() throws Exception {
    for (String topic : List.of("open", "secret", "described")) {
      topics.create(topic, 1);
    }
    topics.allow("node", "open", AclOperation.READ, AclOperation.WRITE);
    topics.allow("node", "described", AclOperation.DESCRIBE);
    try (SourceScene scene = scene(user("node"), "open", "secret", "described")) {
      TopicEvents secret = scene.open("secret");
      TopicEvents described = scene.open("described");
      TopicEvents events = scene.open("open").awaitActive();
      secret.await(DENIED_READ);
      described.await(DENIED_READ);
      assertThat(secret.all()).hasSize(1);
      assertThat(described.all()).hasSize(1);
      assertThat(publish(scene, "secret")).isEqualTo(DENIED_WRITE);
      assertThat(publish(scene, "described")).isEqualTo(DENIED_WRITE);
      assertThat(publish(scene, "open")).isEqualTo("published");
      assertThat(events.await("open").all()).containsExactly("stream", "active", "open");
      assertThat(scene.source.state()).isEqualTo("connected");
      assertThat(scene.events).containsExactly("live");
    }
  }

  @Test
  void shouldRefuseTopicWhosePermissionIsRevoked() throws Exception {
    topics.create("revoked", 1);
    topics.create("kept", 1);
    topics.allow("node", "revoked", AclOperation.READ);
    topics.allow("node", "kept", AclOperation.READ);
    try (SourceScene scene = scene(user("node"), "revoked", "kept")) {
      TopicEvents kept = scene.open("kept").awaitActive();
      TopicEvents revoked = scene.open("revoked").awaitActive();
      topics.revoke("node", "revoked");
      revoked.await(DENIED_READ);
      topics.publish("kept", null, "a");
      kept.await("a");
      topics.allow("node", "revoked", AclOperation.READ);
      TopicEvents again = scene.open("revoked").awaitActive();
      topics.publish("revoked", null, "b");
      again.await("b");
      assertThat(scene.events).containsExactly("live");
    }
  }

  @Test
  void shouldPublishOnceItIsPermitted() throws Exception {
    topics.create("granted", 1);
    try (SourceScene scene = scene(user("reader"), "granted")) {
      within().until(() -> scene.events.contains("live"));
      topics.allow("reader", "granted", AclOperation.DESCRIBE);
      assertThat(publish(scene, "granted")).as("no topic at all").isEqualTo(DENIED_WRITE);
      topics.allow("reader", "granted", AclOperation.WRITE);
      within().until(() -> publish(scene, "granted").equals("published"));
    }
  }

  @Test
  void shouldStateThatThePasswordIsWrong() throws Exception {
    try (SourceScene scene = scene(server.clientProperties("node", "wrong"), "open")) {
      within()
          .until(
              () ->
                  scene
                      .source
                      .state()
                      .equals(
                          "not connected: Authentication failed: Invalid username or password"));
      assertThat(publish(scene, "open"))
          .isEqualTo("broker-unavailable: the cluster is not connected");
    }
  }

  @Test
  void shouldStateThatTheCertificateIsNotTrusted() {
    Map<String, String> properties = new HashMap<>(user("node"));
    properties.keySet().removeIf(name -> name.startsWith("ssl.truststore"));
    try (SourceScene scene = scene(properties, "open")) {
      within()
          .until(() -> scene.source.state().startsWith("not connected: PKIX path building failed"));
    }
  }
}
