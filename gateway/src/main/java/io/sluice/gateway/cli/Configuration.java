package io.sluice.gateway.cli;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.config.Problem;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Puts a command's options on top of a file. Confined to the main thread. */
final class Configuration {
  private final ConfigDraft draft;

  /** With a file, or null for the defaults alone. */
  Configuration(Path file) {
    this.draft = file == null ? new ConfigDraft() : ConfigFile.read(file, System::getenv);
  }

  /** An option that was not given, null, changes nothing. */
  Configuration with(Setting<?> setting, Object value, String option) {
    if (value != null) {
      draft.override(setting, value.toString(), option);
    }
    return this;
  }

  /** The configuration, if nothing at all is wrong with it. */
  Config complete() {
    List<Problem> problems = draft.problems();
    if (!problems.isEmpty()) {
      String list = problems.stream().map(p -> "\n  " + p).collect(Collectors.joining());
      throw new CommandFailure("the configuration has " + count(problems) + list);
    }
    return draft.config();
  }

  /** Fails early if one of the node's two ports is taken. */
  void requireFreePorts() {
    Config config = draft.config();
    requireFree(config.get(Settings.SERVER_HOST), Settings.SERVER_PORT, "--port");
    requireFree(config.get(Settings.ADMIN_HOST), Settings.ADMIN_PORT, "--admin-port");
  }

  private void requireFree(String host, Setting<Integer> setting, String option) {
    String origin =
        draft
            .origin(setting)
            .filter(place -> place.line() > 0)
            .map(place -> option + " or " + setting.key() + " (" + place + ")")
            .orElse(option);
    Ports.requireFree(host, draft.config().get(setting), origin);
  }

  static String count(List<Problem> problems) {
    return problems.size() == 1 ? "1 problem" : problems.size() + " problems";
  }
}
