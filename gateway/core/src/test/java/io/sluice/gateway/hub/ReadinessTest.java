package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Start;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Late messages that make a node unready, and those that do not. */
final class ReadinessTest {
  private static final int ROUNDS = 12;

  /** Steps of 250 ms in a round of 2 s. */
  private static final int STEPS = 8;

  private static final int STEP_MS = 250;

  private final HubFixture node = new HubFixture(1, Config.defaults());

  /** Numbers of messages that the broker accepted a minute ago. */
  private final Deque<Long> accepted = new ArrayDeque<>();

  @AfterEach
  void close() {
    node.close();
  }

  private void start(List<String> topics) {
    node.broker.connect();
    node.settle();
    RecordingClient client = new RecordingClient(node.shards.get(0), Encoding.JSON);
    topics.forEach(topic -> client.subscribe(topic, Start.NOW, Delivery.ALL));
    node.settle();
    for (int i = 0; i < 10_000; i++) {
      accepted.add(node.broker.nextSequence());
    }
    node.broker.canary(0);
    node.pass(60_000);
  }

  /** Runs rounds; returns whether the node was unready after any of them. */
  private boolean isUnready(IntConsumer step) {
    boolean unready = false;
    for (int round = 0; round < ROUNDS; round++) {
      node.broker.probe();
      for (int i = 0; i < STEPS; i++) {
        node.pass(STEP_MS);
        step.accept(i);
      }
      node.settle();
      node.hub.source(0).onProof(node.clock.monoMs());
      unready |= node.hub.lagProblem() != null;
    }
    return unready;
  }

  private void late(String topic) {
    node.broker.deliver(topic, accepted.remove());
  }

  @Test
  void shouldBecomeUnreadyWhileTheConnectionHasABacklog() {
    List<String> topics = List.of("a", "b", "c");
    start(topics);
    assertThat(isUnready(step -> topics.forEach(this::late))).isTrue();
    assertThat(node.hub.lagProblem()).contains("3 topics lag", " by 8");
    node.pass(10_000);
    assertThat(isUnready(step -> topics.forEach(node.broker::publish))).isFalse();
  }

  @Test
  void shouldBecomeUnreadyBesideATopicWithoutBacklog() {
    start(List.of("a", "b", "healthy"));
    assertThat(
            isUnready(
                step -> {
                  late("a");
                  late("b");
                  node.broker.publish("healthy");
                }))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void shouldStayReadyWhileTopicsReceiveLateCommitsOnly(int count) {
    List<String> topics = List.of("a", "b", "c").subList(0, count);
    start(topics);
    assertThat(
            isUnready(
                step -> {
                  if (step % 4 == 0) { // a commit each second
                    topics.forEach(
                        topic -> {
                          late(topic);
                          late(topic);
                        });
                  }
                }))
        .isFalse();
  }

  @Test
  void shouldStayReadyWithLateCommitsBesideABusyTopic() {
    start(List.of("a", "b", "busy"));
    assertThat(
            isUnready(
                step -> {
                  late("a");
                  late("b");
                  for (int i = 0; i < 3; i++) {
                    node.broker.publish("busy");
                  }
                }))
        .isFalse();
  }

  @Test
  void shouldStayReadyWithDelayedMessagesAndLateCommits() {
    start(List.of("a", "delayed"));
    assertThat(
            isUnready(
                step -> {
                  long dueMs = node.clock.wallMs();
                  node.broker.deliver(
                      "delayed", new DeliveryInfo(accepted.remove(), 4, true, dueMs, false, false));
                  if (step == 0) {
                    late("a");
                  }
                }))
        .isFalse();
  }

  private boolean isUnready(boolean redelivered, boolean slow) {
    List<String> topics = List.of("a", "b", "c");
    start(topics);
    return isUnready(
        step ->
            topics.forEach(
                topic ->
                    node.broker.deliver(
                        topic,
                        new DeliveryInfo(accepted.remove(), 4, false, 0, redelivered, slow))));
  }

  @Test
  void shouldStayReadyWithRedeliveredMessages() {
    assertThat(isUnready(true, false)).isFalse();
  }

  @Test
  void shouldStayReadyWithSlowUploads() {
    assertThat(isUnready(false, true)).isFalse();
  }
}
