package io.sluice.gateway;

import io.sluice.gateway.admin.EffectiveConfig;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** Values of the running node with their places in the configuration file. For any thread. */
final class ConfigOrigins implements EffectiveConfig {
  private volatile Config running;

  /** Null for a node without a file. */
  private volatile Supplier<ConfigDraft> source;

  ConfigOrigins(Config running) {
    this.running = running;
  }

  /** Sets the reader of the file, with the options that override it. */
  void from(Supplier<ConfigDraft> file) {
    source = file;
  }

  /** Sets the configuration that a reload has applied. */
  void onReloaded(Config effective) {
    running = effective;
  }

  @Override
  public List<Key> keys() {
    Supplier<ConfigDraft> file = source;
    ConfigDraft draft = file == null ? null : file.get();
    return Settings.all().stream().map(setting -> key(setting, draft)).toList();
  }

  private Key key(Setting<?> setting, ConfigDraft draft) {
    Config effective = running;
    boolean pending =
        draft != null && !Objects.equals(effective.get(setting), draft.config().get(setting));
    return new Key(
        setting.key(), effective.text(setting), origin(setting, effective, draft), pending);
  }

  private static String origin(Setting<?> setting, Config effective, ConfigDraft draft) {
    if (draft == null) {
      return effective.isSet(setting) ? "program" : "default";
    }
    return draft.origin(setting).map(Object::toString).orElse("default");
  }
}
