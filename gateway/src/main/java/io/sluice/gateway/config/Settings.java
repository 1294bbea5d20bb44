package io.sluice.gateway.config;

import java.util.List;
import java.util.stream.Stream;

/** Every configuration key of the gateway, section by section. Immutable, for any thread. */
public final class Settings {
  private static final List<Setting<?>> ALL =
      Stream.of(
              AdminSettings.ALL,
              ServerSettings.ALL,
              AuthSettings.ALL,
              TopicSettings.ALL,
              BrokerSettings.ALL,
              HistorySettings.ALL,
              LimitSettings.ALL,
              TimeoutSettings.ALL,
              ClusterSettings.ALL)
          .<Setting<?>>flatMap(List::stream)
          .toList();

  private static final String QUOTAS = "limits.per-";

  private Settings() {}

  /** All keys, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return ALL;
  }

  /** Returns the block of keys that a setting belongs to: its section, or its group of quotas. */
  static String block(Setting<?> setting) {
    String key = setting.key();
    return key.substring(0, key.indexOf('.', key.startsWith(QUOTAS) ? QUOTAS.length() : 0));
  }
}
