package io.sluice.gateway.config;

import java.util.List;
import java.util.stream.Stream;

/** All configuration keys of the gateway, by section. Immutable, for any thread. */
public final class Settings {
  private static final List<Setting<?>> ALL =
      Stream.of(
              AdminSettings.ALL,
              ServerSettings.ALL,
              AuthSettings.ALL,
              TopicSettings.ALL,
              BrokerSettings.ALL,
              KafkaSettings.ALL,
              NatsSettings.ALL,
              LinkSettings.ALL,
              HistorySettings.ALL,
              LimitSettings.ALL,
              TimeoutSettings.ALL,
              ClusterSettings.ALL)
          .<Setting<?>>flatMap(List::stream)
          .toList();

  private static final String QUOTAS = "limits.per-";

  private Settings() {}

  /** Returns all keys, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return ALL;
  }

  /** Returns the section of a setting, or its group of quotas. */
  static String block(Setting<?> setting) {
    String key = setting.key();
    return key.substring(0, key.indexOf('.', key.startsWith(QUOTAS) ? QUOTAS.length() : 0));
  }
}
