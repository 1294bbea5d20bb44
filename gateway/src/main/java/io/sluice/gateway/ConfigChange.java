package io.sluice.gateway;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.config.TopicSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Difference between the configuration of a running node and a new one. Immutable, for any thread.
 *
 * @param applied changed keys that a running node applies, in the order of the documentation
 * @param restart changed keys that apply only after a restart
 * @param effective the running configuration with the applied changes
 */
public record ConfigChange(List<String> applied, List<String> restart, Config effective) {
  private static final List<Setting<?>> RELOADABLE =
      List.of(
          AdminSettings.LOG_LEVEL,
          AdminSettings.LOG_LEVELS,
          ServerSettings.ALLOWED_ORIGINS,
          TopicSettings.SUBSCRIBE_TOPICS,
          TopicSettings.PERMISSION_RULES,
          TopicSettings.PERMISSION_CLAIM,
          TopicSettings.PUBLISH_TOPICS,
          TopicSettings.QUEUES_SEND,
          TopicSettings.QUEUES_CONSUME,
          TopicSettings.QUEUES_BROWSE,
          TopicSettings.TOPICS_DURABLE,
          TopicSettings.TOPICS_SHARED,
          LimitSettings.SUBSCRIPTIONS,
          LimitSettings.SUBSCRIBE_RATE,
          LimitSettings.PUBLISH_RATE,
          LimitSettings.REFRESH_RATE,
          LimitSettings.REQUESTS,
          LimitSettings.REQUEST_TIMEOUT,
          LimitSettings.CONSUMERS,
          LimitSettings.CONSUMER_CREDIT,
          LimitSettings.BROWSE,
          LimitSettings.SELECTOR_LENGTH,
          LimitSettings.CLIENT_ERRORS,
          LimitSettings.GRANTS);

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

  private static final Set<String> RELOADABLE_KEYS =
      Stream.concat(RELOADABLE.stream(), QUOTAS.stream())
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

  /** Returns whether the level of a logger changes. */
  boolean changesLogLevels() {
    return applied.contains(AdminSettings.LOG_LEVEL.key())
        || applied.contains(AdminSettings.LOG_LEVELS.key());
  }

  /** Compares two valid configurations. */
  public static ConfigChange between(Config running, Config next) {
    List<String> applied = new ArrayList<>();
    List<String> restart = new ArrayList<>();
    Config effective = running;
    for (Setting<?> setting : Settings.all()) {
      if (!Objects.equals(running.get(setting), next.get(setting))) {
        boolean reloadable = isReloadable(setting, running, next);
        (reloadable ? applied : restart).add(setting.key());
        effective = reloadable ? effective.withSameAs(setting, next) : effective;
      }
    }
    return new ConfigChange(List.copyOf(applied), List.copyOf(restart), effective);
  }
}
