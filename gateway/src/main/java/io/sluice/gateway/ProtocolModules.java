package io.sluice.gateway;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.http.OpenProtocols;
import io.sluice.gateway.mqtt.MqttOptions;
import io.sluice.gateway.mqtt.MqttProtocol;
import io.sluice.gateway.node.StartFailure;
import io.sluice.gateway.stomp.StompProtocol;
import io.sluice.gateway.streams.HttpStreams;
import io.sluice.gateway.streams.StreamOptions;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Open protocols of a node, whose modules may be missing. */
final class ProtocolModules {
  private ProtocolModules() {}

  private static final Map<String, Function<Config, OpenProtocols>> MODULES =
      Map.of(
          ServerSettings.HTTP, config -> HttpStreams.of(StreamOptions.of(config)),
          ServerSettings.STOMP, config -> StompProtocol.create(),
          ServerSettings.MQTT, config -> MqttProtocol.of(MqttOptions.of(config)));

  /**
   * Returns the configured protocols; by default all whose modules are present.
   *
   * @throws StartFailure if a module of a configured protocol is missing
   */
  static OpenProtocols of(Config config) throws StartFailure {
    OpenProtocols all = OpenProtocols.NONE;
    for (String name : names(config)) {
      try {
        all = all.plus(MODULES.get(name).apply(config));
      } catch (NoClassDefFoundError missing) {
        StartFailure failure = StartFailure.missing(ServerSettings.PROTOCOLS, missing);
        if (config.isSet(ServerSettings.PROTOCOLS)) {
          throw failure;
        }
      }
    }
    return all;
  }

  /** Returns the names of the configured protocols, without ports. */
  private static List<String> names(Config config) {
    return config.get(ServerSettings.PROTOCOLS).stream()
        .map(each -> each.split(":", 2)[0])
        .distinct()
        .toList();
  }

  /** Reports the protocols whose modules are missing. */
  static void check(ConfigFindings findings) {
    for (String name : names(findings.config())) {
      if (MODULES.containsKey(name)) {
        StartFailure.reportMissing(
            findings,
            List.of(ServerSettings.PROTOCOLS),
            () -> MODULES.get(name).apply(findings.config()));
      }
    }
  }
}
