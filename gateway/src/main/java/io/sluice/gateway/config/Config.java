package io.sluice.gateway.config;

import java.util.HashMap;
import java.util.Map;

/** The values of all settings; absent keys have their defaults. Immutable, for any thread. */
public final class Config {
  private static final Config DEFAULTS = new Config(Map.of());

  private final Map<String, Object> values;

  private Config(Map<String, Object> values) {
    this.values = values;
  }

  /** A configuration in which no key is set. */
  public static Config defaults() {
    return DEFAULTS;
  }

  /**
   * The same configuration with one more value; it is taken as it is, without a check of bounds.
   */
  public <T> Config with(Setting<T> setting, T value) {
    Map<String, Object> copy = new HashMap<>(values);
    copy.put(setting.key(), value);
    return new Config(Map.copyOf(copy));
  }

  /** Returns whether a value was given. */
  public boolean isSet(Setting<?> setting) {
    return values.containsKey(setting.key());
  }

  /** The value of a setting, its default if the key is absent; null only if there is no default. */
  @SuppressWarnings("unchecked")
  public <T> T get(Setting<T> setting) {
    Object value = values.get(setting.key());
    return value == null ? setting.defaultValue() : (T) value;
  }
}
