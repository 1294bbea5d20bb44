package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.hub.CountingClient.Work;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.shard.HubShard;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that live messages do not wait until other clients have caught up. */
final class CatchUpFairnessTest {
  private static final int CLIENTS = 20;
  private static final int MISSED = 10_000;
  private static final int MAX_TICKS = 1_000;

  private final Work work = new Work();
  private boolean published;

  @Test
  void shouldDeliverLiveMessagesBetweenPartsOfCatchUps() {
    Config config =
        Config.defaults()
            .with(HistorySettings.MESSAGES, MISSED)
            .with(HistorySettings.BYTES, 64L << 20);
    try (HubFixture fixture = new HubFixture(1, config, MISSED + 1)) {
      fixture.broker.connect();
      HubShard shard = fixture.shards.get(0);
      new CountingClient(shard, new Work()).subscribe("missed");
      CountingClient live = new CountingClient(shard, work);
      live.subscribe("live");
      fixture.settle();
      for (int i = 0; i < MISSED; i++) {
        fixture.broker.publish("missed");
      }
      fixture.settle();

      Runnable publishOnce =
          () -> {
            if (!published) {
              published = true;
              fixture.broker.publish("live");
            }
          };
      List<CountingClient> late =
          Stream.generate(() -> new CountingClient(shard, work, publishOnce))
              .limit(CLIENTS)
              .toList();
      late.forEach(
          client ->
              shard.subscribe(
                  client,
                  InterestKey.of("missed"),
                  1,
                  false,
                  new Start.Last(MISSED),
                  Delivery.ALL));
      fixture.settle();
      for (int i = 0; i < MAX_TICKS && work.deliveries <= CLIENTS * MISSED; i++) {
        fixture.pass(10);
      }
      assertThat(late).allMatch(client -> client.messages == MISSED);
      assertThat(live.messages).isOne();
      assertThat(live.lastMessageAt).isLessThan(CLIENTS * MISSED / 4);
    }
  }
}
