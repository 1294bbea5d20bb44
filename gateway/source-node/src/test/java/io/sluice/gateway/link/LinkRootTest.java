package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LinkRootTest {
  private static final Config CONFIG =
      Config.defaults().with(LimitSettings.TOPICS, 2).with(LinkSettings.SUBSCRIBE, List.of(">"));

  @Test
  void shouldServeAsManyLogsAsItsLimit() {
    SentRecords channel = new SentRecords();
    try (HubFixture fixture = new HubFixture(1, CONFIG, 64)) {
      LinkRoot root = new LinkRoot(LinkOptions.of(CONFIG), fixture.hub, channel, null, null);
      for (int ref = 1; ref <= 3; ref++) {
        InterestKey key = InterestKey.ofName("t." + ref);
        root.onRecord(new LinkRecord.Open(ref, key, 0, 0, null));
      }
      assertThat(channel.sent)
          .containsExactly(
              new LinkRecord.Refused(3, ErrorCode.TOO_MANY_TOPICS, "the leaf has 2 logs"));
      root.onClosed("end of the test");
    }
  }
}
