package io.sluice.gateway.cli.command;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.Problem;
import io.sluice.gateway.config.Problem.Origin;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.node.NodeChecks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Configuration of a command: a file overridden by options. Confined to the main thread. */
public final class Configuration {
  /** Providers that require a URL. */
  private static final Set<String> URL_PROVIDERS = Set.of("artemis", "classic", "amqp");

  /** Keys of sources, and that of a problem of the whole file. */
  private static final Pattern OF_SOURCES = Pattern.compile("$|(broker|kafka|nats|nodes|links)\\b");

  private final NodeChecks checks;
  private final ConfigDraft draft;
  private boolean brokerRequired;

  /**
   * @param file null for the defaults
   */
  public Configuration(Path file, NodeChecks checks) {
    this.checks = checks;
    this.draft = file == null ? new ConfigDraft() : ConfigFile.read(file, System::getenv);
  }

  /** Sets the value of an option; null, an absent option, changes nothing. */
  public Configuration with(Setting<?> setting, Object value, String option) {
    if (value != null) {
      draft.override(setting, value.toString(), option);
    }
    return this;
  }

  /** Sets the values of an option; null, an absent option, changes nothing. */
  public Configuration withAll(Setting<List<String>> setting, List<String> values, String option) {
    if (values != null) {
      draft.override(setting, values, option);
    }
    return this;
  }

  /** Reports a missing broker; some commands start one themselves. */
  public Configuration requireBroker() {
    brokerRequired = true;
    return this;
  }

  /**
   * Returns the configuration.
   *
   * @throws CommandFailure with all problems, if there are any
   */
  public Config validated() {
    List<String> problems = problems();
    if (!problems.isEmpty()) {
      String list = problems.stream().map(p -> "\n  " + p).collect(Collectors.joining());
      throw new CommandFailure("the configuration has " + count(problems) + list);
    }
    return draft.config();
  }

  /** Returns all problems that prevent a start, in the order of the file. */
  public List<String> problems() {
    List<Problem> found = checks.problems().apply(draft);
    List<String> problems = new ArrayList<>();
    found.forEach(each -> problems.add(each.toString()));
    if (brokerRequired
        && needsBrokerUrl(draft.config())
        && found.stream().noneMatch(each -> OF_SOURCES.matcher(each.key()).lookingAt())) {
      problems.add(
          "no source of messages is configured; set --broker URL, broker.url, kafka.servers,"
              + " nats.servers or nodes.roots");
    }
    return problems;
  }

  /** Returns the values and problems of the file and the options. */
  public ConfigDraft draft() {
    return draft;
  }

  /** Fails if one of the node's ports cannot be bound. */
  public void requireFreePorts() {
    requireFree(ServerSettings.HOST, ServerSettings.PORT, "--port");
    if (checks.adminPort().getAsBoolean()) {
      requireFree(AdminSettings.HOST, AdminSettings.PORT, "--admin-port");
    }
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

  /** Returns whether a required broker URL is missing; a factory or JNDI may need none. */
  private static boolean needsBrokerUrl(Config config) {
    String url = config.get(BrokerSettings.URL);
    return ConfiguredSource.hasJmsBroker(config)
        && URL_PROVIDERS.contains(config.get(BrokerSettings.PROVIDER))
        && (url == null || url.isBlank());
  }

  /** Returns the number of problems, for a message. */
  public static String count(List<?> problems) {
    return problems.size() == 1 ? "1 problem" : problems.size() + " problems";
  }
}
