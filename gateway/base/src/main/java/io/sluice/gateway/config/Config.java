package io.sluice.gateway.config;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Values of all settings; absent keys have their defaults. Immutable, for any thread. */
public final class Config {
  private static final String MASK = "***";
  private static final Config DEFAULTS = new Config(Map.of());

  private final Map<String, Object> values;

  private Config(Map<String, Object> values) {
    this.values = values;
  }

  /** Returns a configuration in which no key is set. */
  public static Config defaults() {
    return DEFAULTS;
  }

  /** Returns a copy with one more value, whose bounds are not checked. */
  public <T> Config with(Setting<T> setting, T value) {
    Map<String, Object> copy = new HashMap<>(values);
    copy.put(setting.key(), value);
    return new Config(Map.copyOf(copy));
  }

  /** Returns a copy in which a setting has its value of another configuration, or its default. */
  public Config withSameAs(Setting<?> setting, Config other) {
    Map<String, Object> copy = new HashMap<>(values);
    Object value = other.values.get(setting.key());
    if (value == null) {
      copy.remove(setting.key());
    } else {
      copy.put(setting.key(), value);
    }
    return new Config(Map.copyOf(copy));
  }

  /** Returns whether a setting was set explicitly. */
  public boolean isSet(Setting<?> setting) {
    return values.containsKey(setting.key());
  }

  /**
   * Returns the value of a setting as text for operators. Secrets, values of maps and passwords in
   * URLs are masked.
   */
  public String text(Setting<?> setting) {
    Object value = get(setting);
    if (value == null || value.equals("")) {
      return "";
    }
    if (setting.isSecret()) {
      return MASK;
    }
    if (value instanceof Map<?, ?> map) {
      return map.keySet().stream()
          .map(key -> key + ": " + MASK)
          .sorted()
          .collect(Collectors.joining(", ", "{", "}"));
    }
    return value instanceof String text
        ? ServiceUrl.masked(text)
        : ServiceUrl.masked(ValueText.write(value));
  }

  /** Returns the value of a setting, or its default; null only if it has no default. */
  @SuppressWarnings("unchecked")
  public <T> T get(Setting<T> setting) {
    Object value = values.get(setting.key());
    return value == null ? setting.defaultValue() : (T) value;
  }
}
