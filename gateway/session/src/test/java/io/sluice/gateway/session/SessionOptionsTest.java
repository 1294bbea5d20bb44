package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TopicSettings;
import org.junit.jupiter.api.Test;

final class SessionOptionsTest {
  /** Grants of a claim apply without configured patterns. */
  private static final Config CONFIG =
      Config.defaults().with(TopicSettings.PERMISSION_CLAIM, "topics");

  @Test
  void shouldServeNoQueuesAndSubscriptionsWithoutTheirModule() {
    SessionOptions options = SessionOptions.of(CONFIG, false);
    assertThat(Operation.ALL)
        .filteredOn(operation -> !options.served(operation).isEmpty())
        .containsExactlyInAnyOrder(Operation.SUBSCRIBE, Operation.PUBLISH);
  }

  @Test
  void shouldServeAllThatAClaimGrants() {
    assertThat(SessionOptions.of(CONFIG).served(Operation.CONSUME)).containsExactly(">");
  }
}
