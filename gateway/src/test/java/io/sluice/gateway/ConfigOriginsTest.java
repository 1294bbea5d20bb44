package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.admin.EffectiveConfig.Key;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TopicSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfigOriginsTest {
  private static Key key(ConfigOrigins origins, Setting<?> setting) {
    return origins.keys().stream()
        .filter(each -> each.key().equals(setting.key()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldNameDefaultsAndValuesOfTheProgram() {
    ConfigOrigins origins = new ConfigOrigins(Config.defaults().with(ServerSettings.PORT, 1));
    assertThat(key(origins, ServerSettings.PORT))
        .isEqualTo(new Key("server.port", "1", "program", false));
    assertThat(key(origins, AdminSettings.PORT))
        .isEqualTo(new Key("admin.port", "9090", "default", false));
  }

  @Test
  void shouldNameOptionsAndPendingValues() {
    ConfigDraft draft = new ConfigDraft();
    draft.override(ServerSettings.PORT, "2", "--port");
    ConfigOrigins origins = new ConfigOrigins(Config.defaults().with(ServerSettings.PORT, 1));
    origins.from(() -> draft);
    assertThat(key(origins, ServerSettings.PORT))
        .isEqualTo(new Key("server.port", "1", "--port", true));
    origins.onReloaded(draft.config());
    assertThat(key(origins, ServerSettings.PORT).pending()).isFalse();
  }

  @Test
  void shouldShowRulesAndMapsInTheNotationOfTheFile() {
    Config config =
        Config.defaults()
            .with(
                TopicSettings.PERMISSION_RULES,
                List.of(new PermissionRule(Map.of("roles", "partner"), List.of("a.>"), List.of())))
            .with(BrokerSettings.PROPERTIES, Map.of("user", "hidden"));
    ConfigOrigins origins = new ConfigOrigins(config);
    assertThat(key(origins, TopicSettings.PERMISSION_RULES).value())
        .isEqualTo("[{if: {roles: \"partner\"}, subscribe: [\"a.>\"], publish: []}]");
    assertThat(key(origins, BrokerSettings.PROPERTIES).value()).isEqualTo("{user: ***}");
  }

  @Test
  void shouldMaskSecrets() {
    List<Setting<String>> secrets =
        List.of(
            AdminSettings.TOKEN,
            BrokerSettings.PASSWORD,
            ClusterSettings.SECRET,
            AuthSettings.INTROSPECTION_CLIENT_SECRET);
    Config config = Config.defaults().with(BrokerSettings.URL, "tcp://user:hidden@broker:61616");
    for (Setting<String> each : secrets) {
      config = config.with(each, "hidden");
    }
    ConfigOrigins origins = new ConfigOrigins(config);
    assertThat(origins.keys()).noneMatch(each -> each.value().contains("hidden"));
    secrets.forEach(each -> assertThat(key(origins, each).value()).isEqualTo("***"));
    assertThat(key(origins, BrokerSettings.URL).value()).isEqualTo("tcp://***@broker:61616");
  }
}
