package io.sluice.loadtest.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BrokerTargetTest {
  @Test
  void shouldMaskPasswords() {
    BrokerTarget target = target("tcp://me:secret@host:1?password=secret&ssl=true", false);

    assertThat(target.toString()).doesNotContain("secret").contains("ssl=true");
    assertThat(BrokerTarget.masked("--broker tcp://me:secret@host:1")).doesNotContain("secret");
  }

  @Test
  void shouldUseDestinationsPerRunUnlessExisting() {
    assertThat(target("tcp://host:1", false).name(255, 3)).isEqualTo("bench.ff.3");
    assertThat(target("tcp://host:1", true).name(255, 3)).isEqualTo("bench3");
  }

  private static BrokerTarget target(String url, boolean existing) {
    return new BrokerTarget(
        JmsProvider.ARTEMIS, url, "me", "secret", "", "bench", existing, Map.of(), "", null);
  }
}
