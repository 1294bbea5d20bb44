package io.sluice.gateway.config;

import io.sluice.gateway.ConfigChange;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes docs/CONFIGURATION.md from {@link Settings}. Stateless, for any thread. */
final class ConfigurationPage {
  private static final String HEAD =
      """
      # Configuration

      `sluice run --config FILE` reads a YAML file. Only `broker.url`, `kafka.servers` or `nats.servers` is required. Options of the \
      command line override the file.

      ```yaml
      node:
        name: gw-1
      server:
        port: 8080
        allowed-origins: [https://app.example.com]
      broker:
        url: tcp://broker.example.com:61616
        user: sluice
        password: ${BROKER_PASSWORD}
        forward-properties: [priority]
      auth:
        anonymous: true
      subscribe:
        topics: [stocks.>, news.*]
      publish:
        topics: [chat.>]
      limits:
        pending-bytes: 4MiB
      timeouts:
        drain: 30s
      log:
        format: json
      ```

      - `server.port: 8080` is the same as `server: {port: 8080}`. Unknown and repeated keys are \
      errors.
      - `${NAME}` in a value is an environment variable, which must be set; `${NAME:-default}` has a \
      default; `$${` is a literal `${`. Quote it within `[ ]` and `{ }`.
      - Durations have a unit: `200ms`, `10s`, `5m`, `1h`. Sizes may have one: `512B`, `64KiB`, \
      `1MiB`, `1GiB`.
      - The file is UTF-8, at most 1 MiB.
      - Check it with `sluice check-config FILE`, which lists all problems. Editors complete it by \
      its JSON Schema, [config.schema.json](reference/config.schema.json).

      The parentheses have the default, then the allowed values; *text*, *list* and *map* are empty \
      by default. ↻ marks keys that a [reload](#reload) changes.

      Generated: `mvn -pl gateway -am test -Dtest=ConfigurationPageTest \
      -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.docs=write`.
      """;

  private static final String RELOAD =
      """
      A [reload](operations/deploy.md#change-the-configuration) applies changes of the keys with ↻. \
      Other changes apply after a restart, as does a quota that changes from or to 0: resources \
      without a limit are not counted. The response names each such key with the reason.
      """;

  private static final String SHARE =
      "A limit that is not set is at most half of that of `limits.per-node`; 0: no limit.\n\n";

  /** Texts above the tables of sections. */
  private static final Map<String, String> INTRODUCTIONS =
      Map.of(
          "limits.per-node",
          "0: no limit. Rates of all quotas are averages, with bursts of one second's worth.\n\n",
          "limits.per-address",
          "Clients of one IPv4 address or IPv6 /64; except for `connections` and"
              + " `handshake-rate` only those without a credential. "
              + SHARE,
          "limits.per-principal",
          "All sessions of one principal. Clients without a credential are not counted. " + SHARE);

  private ConfigurationPage() {}

  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    String section = "";
    for (Setting<?> setting : Settings.all()) {
      String its = Settings.block(setting);
      if (!its.equals(section)) {
        section = its;
        page.append("\n## ").append(section).append("\n\n");
        page.append(INTRODUCTIONS.getOrDefault(section, ""));
      }
      page.append(row(setting));
    }
    return page.append("\n## Reload\n\n").append(RELOAD).toString();
  }

  private static String row(Setting<?> setting) {
    String values = values(setting) + (ConfigChange.isReloadable(setting) ? " ↻" : "");
    boolean stated = INTRODUCTIONS.containsKey(Settings.block(setting));
    String meaning = stated ? setting.meaning().replace("; 0: no limit", "") : setting.meaning();
    return "- `%s` (%s): %s\n".formatted(setting.key(), values, meaning);
  }

  /** Returns the default and the allowed values. */
  private static String values(Setting<?> setting) {
    String preset = preset(setting);
    if (!setting.choices().isEmpty()) {
      return setting.choices().stream()
          .map(choice -> "`" + choice + "`")
          .filter(choice -> !choice.equals(preset))
          .collect(Collectors.joining(", ", preset + ", ", ""));
    }
    if (hasBounds(setting)) {
      return preset + ", " + ValueText.bounds(setting).replace("from ", "").replace(" to ", "–");
    }
    return preset;
  }

  private static String preset(Setting<?> setting) {
    Object value = setting.defaultValue();
    if (value == null || value.equals("") || value.equals(List.of()) || value.equals(Map.of())) {
      return setting.type().toString().replace(" of texts", "");
    }
    return "`" + (value instanceof String text ? text : ValueText.write(value)) + "`";
  }

  private static boolean hasBounds(Setting<?> setting) {
    return setting.type() == Setting.Type.INTEGER
        || setting.type() == Setting.Type.DURATION
        || setting.type() == Setting.Type.BYTES
        || setting.type() == Setting.Type.RATIO;
  }
}
