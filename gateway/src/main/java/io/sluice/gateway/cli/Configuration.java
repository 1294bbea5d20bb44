package io.sluice.gateway.cli;

import io.sluice.gateway.StartCheck;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.config.Problem;
import io.sluice.gateway.config.Problem.Origin;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Puts a command's options on top of a file. Confined to the main thread. */
final class Configuration {
  /** Providers that connect by a URL. */
  private static final Set<String> BY_URL = Set.of("artemis", "classic");

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

  /** An option that was not given, null, changes nothing. */
  Configuration withAll(Setting<List<String>> setting, List<String> values, String option) {
    if (values != null) {
      draft.override(setting, values, option);
    }
    return this;
  }

  /** The configuration, if nothing at all is wrong with it. */
  Config complete() {
    List<Problem> problems = StartCheck.problems(draft);
    if (!problems.isEmpty()) {
      String list = problems.stream().map(p -> "\n  " + p).collect(Collectors.joining());
      throw new CommandFailure("the configuration has " + count(problems) + list);
    }
    return draft.config();
  }

  /** Fails early if one of the node's two ports can't be had. */
  void requireFreePorts() {
    requireFree(ServerSettings.HOST, ServerSettings.PORT, "--port");
    requireFree(AdminSettings.HOST, AdminSettings.PORT, "--admin-port");
  }

  private void requireFree(Setting<String> host, Setting<Integer> port, String option) {
    Config config = draft.config();
    String portOrigin = inFile(port).map(place -> option + " or " + place).orElse(option);
    String hostOrigin = inFile(host).orElseGet(() -> hostOption(host));
    Ports.requireFree(config.get(host), hostOrigin, config.get(port), portOrigin);
  }

  private Optional<String> inFile(Setting<?> setting) {
    return draft
        .origin(setting)
        .filter(place -> place.line() > 0)
        .map(place -> setting.key() + " (" + place + ")");
  }

  private String hostOption(Setting<String> host) {
    return draft.origin(host).map(Origin::toString).orElse(host.key());
  }

  /** Whether a broker URL is needed and missing; a factory or JNDI may do without. */
  static boolean needsBrokerUrl(Config config) {
    String url = config.get(BrokerSettings.URL);
    return BY_URL.contains(config.get(BrokerSettings.PROVIDER)) && (url == null || url.isBlank());
  }

  static String count(List<Problem> problems) {
    return problems.size() == 1 ? "1 problem" : problems.size() + " problems";
  }
}
