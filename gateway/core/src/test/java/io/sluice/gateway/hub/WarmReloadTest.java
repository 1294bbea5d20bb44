package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.Encoding;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of the patterns that a hub pre-subscribes. */
final class WarmReloadTest {
  private HubFixture fixture;

  private void start(String... warm) {
    fixture = new HubFixture(1, Config.defaults().with(HistorySettings.WARM, List.of(warm)));
    fixture.hub.start();
    fixture.broker.connect();
    fixture.settle();
  }

  @AfterEach
  void stop() {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private void reload(String... patterns) {
    fixture.hub.warm(List.of(patterns));
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

  private void unsubscribe(RecordingClient client, String topic) {
    client.unsubscribe(topic);
    fixture.settle();
    fireTimers();
  }

  @Test
  void shouldSubscribeAnAddedPatternAndServeItsTopics() {
    start();
    reload("stocks.>");
    RecordingClient client = subscribe("stocks.7");
    assertThat(fixture.broker.opened()).containsExactly("stocks.>");
    unsubscribe(client, "stocks.7");
    assertThat(fixture.broker.opened()).containsExactly("stocks.>");
  }

  @Test
  void shouldCloseARemovedPatternWithoutUsers() {
    start("stocks.>", "news.>");
    reload("news.>");
    fireTimers();
    assertThat(fixture.broker.opened()).containsExactly("news.>");
  }

  @Test
  void shouldCloseARemovedPatternAfterTheLastTopicThatItServes() {
    start("stocks.>");
    RecordingClient served = subscribe("stocks.7");
    reload();
    fireTimers();
    RecordingClient later = subscribe("stocks.8");
    assertThat(fixture.broker.opened()).containsExactly("stocks.>", "stocks.8");

    unsubscribe(served, "stocks.7");
    fireTimers();
    assertThat(fixture.broker.opened()).containsExactly("stocks.8");
    unsubscribe(later, "stocks.8");
    assertThat(fixture.broker.opened()).isEmpty();
  }

  @Test
  void shouldKeepAnOpenTopicThatIsAdded() {
    start();
    RecordingClient client = subscribe("stocks.7");
    reload("stocks.7");
    unsubscribe(client, "stocks.7");
    assertThat(fixture.broker.opened()).containsExactly("stocks.7");
    reload();
    fireTimers();
    assertThat(fixture.broker.opened()).isEmpty();
  }

  @Test
  void shouldNotReopenARemovedPatternThatTheBrokerRefused() {
    start();
    fixture.broker.refuse("stocks.>");
    reload("stocks.>");
    reload();
    fixture.broker.refuse(null);
    fireTimers();
    assertThat(fixture.broker.opened()).isEmpty();
  }
}
