package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.TopicFigures;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Topics that a hub keeps open without a client. */
final class PinnedTopicsTest {
  private HubFixture fixture;

  private void start(int topics) {
    fixture = new HubFixture(1, Config.defaults().with(LimitSettings.TOPICS, topics));
    fixture.broker.connect();
    fixture.settle();
  }

  @AfterEach
  void stop() {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private int keep(String... topics) {
    CompletableFuture<Integer> standing = fixture.hub.pin(List.of(topics)).toCompletableFuture();
    fixture.settle();
    return standing.join();
  }

  private void release(String... topics) {
    fixture.hub.unpin(List.of(topics));
    fixture.settle();
  }

  private void fireTimers() {
    fixture.control.fireTimers();
    fixture.settle();
  }

  private RecordingClient subscribe(String topic) {
    RecordingClient client = new RecordingClient(fixture.shards.get(0), Encoding.JSON);
    client.subscribe(topic);
    fixture.settle();
    return client;
  }

  private List<String> closed() {
    CompletableFuture<List<String>> closed = fixture.hub.pinnedButClosed().toCompletableFuture();
    fixture.settle();
    return closed.join();
  }

  @Test
  void shouldKeepPinnedTopicsOpenUntilUnpinned() {
    start(10);
    assertThat(keep("a", "b")).isEqualTo(2);
    fireTimers();
    assertThat(fixture.broker.opened()).containsExactly("a", "b");
    assertThat(fixture.hub.topicsInUse()).isEmpty();
    release("a");
    fireTimers();
    assertThat(fixture.broker.opened()).containsExactly("b");
  }

  @Test
  void shouldPinATopicWithASelector() {
    start(10);
    String name = new InterestKey("a", "key = 'x'\n").name();
    assertThat(keep("a", name)).isEqualTo(2);
    fireTimers();
    assertThat(fixture.broker.opened()).containsExactly("a");
    assertThat(openNames()).containsExactly("a", name);
    release(name);
    fireTimers();
    assertThat(openNames()).containsExactly("a");
  }

  @Test
  void shouldPinOpenTopic() {
    start(10);
    fixture.hub.preSubscribe(List.of("warm"), 1);
    RecordingClient client = subscribe("used");
    keep("warm", "used");
    client.unsubscribe("used");
    fixture.settle();
    fireTimers();
    assertThat(fixture.broker.opened()).containsExactly("warm", "used");
  }

  @Test
  void shouldKeepTopicWithClientOpenWhenUnpinned() {
    start(10);
    keep("a");
    RecordingClient client = subscribe("a");
    release("a");
    fireTimers();
    assertThat(fixture.broker.opened()).containsExactly("a");
    client.unsubscribe("a");
    fixture.settle();
    fireTimers();
    assertThat(fixture.broker.opened()).isEmpty();
  }

  @Test
  void shouldClosePinnedTopicsInFavorOfClientsOldestFirst() {
    start(2);
    assertThat(keep("a", "b", "c")).as("there is room for two").isEqualTo(2);
    RecordingClient client = subscribe("d");
    assertThat(client.isStanding("d")).isTrue();
    assertThat(fixture.broker.opened()).containsExactly("b", "d");
    assertThat(closed()).containsExactlyInAnyOrder("a", "c");
    client.unsubscribe("d");
    fixture.settle();
    fireTimers();
    assertThat(keep("a", "c")).isEqualTo(1);
    assertThat(fixture.broker.opened()).containsExactly("b", "a");
  }

  private List<String> openNames() {
    CompletableFuture<List<TopicFigures>> figures =
        fixture.hub.figures(any -> true).toCompletableFuture();
    fixture.settle();
    return figures.join().stream().map(each -> each.key().name()).toList();
  }
}
