package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Start;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Topics whose messages a warm pattern receives. */
final class WarmTopicsTest {
  private static final int OVERLAP = 16;

  private final HubFixture fixture =
      new HubFixture(
          1,
          Config.defaults()
              .with(HistorySettings.WARM, List.of("s.>"))
              .with(HistorySettings.RESUME_OVERLAP, OVERLAP));

  @AfterEach
  void stop() {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  // The pattern forgets identities after the overlap; the client and its topic do not.
  @Test
  void shouldGiveASecondMessageOfOneIdentityAnother() {
    fixture.hub.start();
    fixture.broker.connect();
    fixture.settle();
    fixture.broker.give("s.1", 1, fixture.clock.wallMs());
    fixture.settle();
    RecordingClient client = new RecordingClient(fixture.shards.get(0), Encoding.JSON);
    client.anyOrder = true;
    client.subscribe("s.1", Start.SNAPSHOT, Delivery.ALL);
    fixture.settle();
    fixture.pass(10_000); // a new consumer filters messages of the broker's history
    for (int i = 0; i <= OVERLAP; i++) {
      fixture.broker.publish("s.2");
    }
    fixture.broker.give("s.1", 1, fixture.clock.wallMs());
    fixture.settle();

    assertThat(client.ids).hasSize(2).doesNotHaveDuplicates();
  }
}
