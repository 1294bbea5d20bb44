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

  private Settings() {}

  /** All keys, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return ALL;
  }
}
