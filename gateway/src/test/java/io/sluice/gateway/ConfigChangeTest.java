package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfigChangeTest {
  private static final Config DEFAULTS = Config.defaults();

  @Test
  void shouldFindNoDifferenceBetweenADefaultAndItsValue() {
    Config explicit =
        DEFAULTS.with(AdminSettings.LOG_LEVEL, AdminSettings.LOG_LEVEL.defaultValue());

    ConfigChange change = ConfigChange.between(DEFAULTS, explicit);

    assertThat(change.applied()).isEmpty();
    assertThat(change.restart()).isEmpty();
  }

  @Test
  void shouldApplyReloadableKeysOnly() {
    Config next = DEFAULTS.with(LimitSettings.SUBSCRIPTIONS, 7).with(ServerSettings.PORT, 1234);

    ConfigChange change = ConfigChange.between(DEFAULTS, next);

    assertThat(change.applied()).containsExactly("limits.subscriptions");
    assertThat(change.restart())
        .containsExactly(Map.entry("server.port", "it is read at the start only"));
    assertThat(change.effective().get(LimitSettings.SUBSCRIPTIONS)).isEqualTo(7);
    assertThat(change.effective().isSet(ServerSettings.PORT)).isFalse();
  }

  @Test
  void shouldApplyQuotasUnlessALimitIsAddedOrRemoved() {
    Config running =
        DEFAULTS
            .with(LimitSettings.ADDRESS_CONNECTIONS, 10)
            .with(LimitSettings.PRINCIPAL_CONNECTIONS, 10)
            .with(LimitSettings.TOPIC_PUBLISH_RATE, 0);
    Config next =
        DEFAULTS
            .with(LimitSettings.ADDRESS_CONNECTIONS, 20)
            .with(LimitSettings.PRINCIPAL_CONNECTIONS, 0)
            .with(LimitSettings.TOPIC_PUBLISH_RATE, 5);

    ConfigChange change = ConfigChange.between(running, next);

    assertThat(change.applied()).containsExactly(LimitSettings.ADDRESS_CONNECTIONS.key());
    assertThat(change.restart())
        .containsOnlyKeys(
            LimitSettings.PRINCIPAL_CONNECTIONS.key(), LimitSettings.TOPIC_PUBLISH_RATE.key())
        .allSatisfy((key, reason) -> assertThat(reason).startsWith("the limit is added or"));
    assertThat(change.effective().get(LimitSettings.PRINCIPAL_CONNECTIONS)).isEqualTo(10);
  }

  @Test
  void shouldApplyWarmPatternsAndTokensButExplainDurablePatterns() {
    Config next =
        DEFAULTS
            .with(HistorySettings.WARM, List.of("stocks.>"))
            .with(AdminSettings.TOKEN, "a token of an operator")
            .with(BrokerSettings.DURABLE, List.of("orders.>"));

    ConfigChange change = ConfigChange.between(DEFAULTS, next);

    assertThat(change.applied()).containsExactlyInAnyOrder("history.warm", "admin.token");
    assertThat(change.restart().get("broker.durable")).contains("would cause gaps");
  }

  @Test
  void shouldRestoreTheDefaultOfARemovedKey() {
    Config running = DEFAULTS.with(TopicSettings.PUBLISH_TOPICS, List.of("chat.>"));

    ConfigChange change = ConfigChange.between(running, DEFAULTS);

    assertThat(change.applied()).containsExactly("publish.topics");
    assertThat(change.effective().isSet(TopicSettings.PUBLISH_TOPICS)).isFalse();
  }

  @Test
  void shouldReportAKeyThatNeedsARestartAgain() {
    Config next = DEFAULTS.with(ServerSettings.PORT, 1234);

    Config running = ConfigChange.between(DEFAULTS, next).effective();

    assertThat(ConfigChange.between(running, next).restart()).containsOnlyKeys("server.port");
  }
}
