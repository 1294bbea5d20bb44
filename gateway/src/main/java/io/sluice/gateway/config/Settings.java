package io.sluice.gateway.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Every configuration key of the gateway, section by section. Immutable, for any thread. */
public final class Settings {
  private static final List<Setting<?>> ALL =
      Stream.of(
              NodeSettings.ALL,
              ServerSettings.ALL,
              AuthSettings.ALL,
              TopicSettings.ALL,
              AdminSettings.ALL,
              BrokerSettings.ALL,
              HistorySettings.ALL,
              LimitSettings.ALL,
              TimeoutSettings.ALL,
              ClusterSettings.ALL)
          .<Setting<?>>flatMap(List::stream)
          .toList();

  /** Keys of earlier versions, each with the reason why it is gone and what replaces it. */
  private static final Map<String, String> REMOVED =
      Map.of(
          "server.tls.ocsp-responses",
          "was removed, because public authorities have ended OCSP; use certificates with a short"
              + " lifetime, which are reloaded when their files change");

  private Settings() {}

  /** All keys, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return ALL;
  }

  /** Returns why a key of an earlier version is gone and what replaces it. */
  static Optional<String> removal(String key) {
    return Optional.ofNullable(REMOVED.get(key));
  }
}
