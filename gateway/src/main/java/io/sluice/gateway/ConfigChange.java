package io.sluice.gateway;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.config.TopicSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Difference between the configuration of a running node and a new one. Immutable, for any thread.
 *
 * @param applied changed keys that a running node applies, in the order of the documentation
 * @param restart changed keys that apply only after a restart, with the reason of each
 * @param effective the running configuration with the applied changes
 */
public record ConfigChange(List<String> applied, Map<String, String> restart, Config effective) {
  /** Settings that decide what the clients may do. */
  private static final List<Setting<?>> PERMISSIONS =
      List.of(
          TopicSettings.SUBSCRIBE_TOPICS,
          TopicSettings.PERMISSION_RULES,
          TopicSettings.PERMISSION_CLAIM,
          TopicSettings.PUBLISH_TOPICS,
          TopicSettings.QUEUES_SEND,
          TopicSettings.QUEUES_CONSUME,
          TopicSettings.QUEUES_BROWSE,
          TopicSettings.TOPICS_DURABLE,
          TopicSettings.TOPICS_SHARED);

  private static final List<Setting<?>> RELOADABLE =
      List.of(
          AdminSettings.LOG_LEVEL,
          AdminSettings.LOG_LEVELS,
          AdminSettings.TOKEN,
          AdminSettings.TOKEN_FILE,
          HistorySettings.WARM,
          ServerSettings.ALLOWED_ORIGINS,
          LimitSettings.SUBSCRIPTIONS,
          LimitSettings.PUBLISH_RATE,
          LimitSettings.REQUESTS,
          LimitSettings.REQUEST_TIMEOUT,
          LimitSettings.CONSUMERS,
          LimitSettings.CONSUMER_CREDIT,
          LimitSettings.SELECTOR_LENGTH,
          LimitSettings.SELECTORS);

  /** Quotas, which apply unless a limit is added or removed: nothing is counted without one. */
  private static final List<Setting<Integer>> QUOTAS =
      List.of(
          LimitSettings.HANDSHAKE_RATE,
          LimitSettings.NODE_SUBSCRIPTIONS,
          LimitSettings.NODE_PUBLISH_RATE,
          LimitSettings.NODE_CONSUMERS,
          LimitSettings.ADDRESS_CONNECTIONS,
          LimitSettings.ADDRESS_HANDSHAKE_RATE,
          LimitSettings.ADDRESS_SUBSCRIPTIONS,
          LimitSettings.ADDRESS_TOPICS,
          LimitSettings.ADDRESS_PUBLISH_RATE,
          LimitSettings.ADDRESS_CONSUMERS,
          LimitSettings.PRINCIPAL_CONNECTIONS,
          LimitSettings.PRINCIPAL_HANDSHAKE_RATE,
          LimitSettings.PRINCIPAL_SUBSCRIPTIONS,
          LimitSettings.PRINCIPAL_TOPICS,
          LimitSettings.PRINCIPAL_PUBLISH_RATE,
          LimitSettings.PRINCIPAL_CONSUMERS,
          LimitSettings.TOPIC_PUBLISH_RATE);

  private static final String DURABLE_REASON =
      "journals and durable subscriptions are opened before the node serves clients; a change while"
          + " clients are connected would cause gaps";
  private static final String QUOTA_REASON =
      "the limit is added or removed, and nothing is counted without a limit";
  private static final String START_REASON = "it is read at the start only";

  private static final Set<String> RELOADABLE_KEYS =
      Stream.of(PERMISSIONS, RELOADABLE, QUOTAS)
          .flatMap(List::stream)
          .map(Setting::key)
          .collect(Collectors.toUnmodifiableSet());

  /** Returns whether a running node applies a change of a setting, at least between limits. */
  public static boolean isReloadable(Setting<?> setting) {
    return RELOADABLE_KEYS.contains(setting.key());
  }

  /** Returns whether a running node applies this change of a setting. */
  private static boolean isReloadable(Setting<?> setting, Config running, Config next) {
    for (Setting<Integer> quota : QUOTAS) {
      if (quota.key().equals(setting.key())) {
        return running.get(quota) > 0 && next.get(quota) > 0;
      }
    }
    return isReloadable(setting);
  }

  /** Returns whether a setting changes and applies. */
  boolean applies(Setting<?> setting) {
    return applied.contains(setting.key());
  }

  /** Returns whether what clients may do changes. */
  boolean changesPermissions() {
    return PERMISSIONS.stream().anyMatch(this::applies);
  }

  /** Returns whether the level of a logger changes. */
  boolean changesLogLevels() {
    return applies(AdminSettings.LOG_LEVEL) || applies(AdminSettings.LOG_LEVELS);
  }

  /** Compares two valid configurations. */
  public static ConfigChange between(Config running, Config next) {
    List<String> applied = new ArrayList<>();
    Map<String, String> restart = new LinkedHashMap<>();
    Config effective = running;
    for (Setting<?> setting : Settings.all()) {
      if (!Objects.equals(running.get(setting), next.get(setting))) {
        if (isReloadable(setting, running, next)) {
          applied.add(setting.key());
          effective = effective.withSameAs(setting, next);
        } else {
          restart.put(setting.key(), reason(setting));
        }
      }
    }
    return new ConfigChange(List.copyOf(applied), Collections.unmodifiableMap(restart), effective);
  }

  private static String reason(Setting<?> setting) {
    if (setting == BrokerSettings.DURABLE) {
      return DURABLE_REASON;
    }
    return isReloadable(setting) ? QUOTA_REASON : START_REASON;
  }
}
