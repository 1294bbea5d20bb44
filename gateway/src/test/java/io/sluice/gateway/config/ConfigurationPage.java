package io.sluice.gateway.config;

import io.sluice.gateway.ConfigChange;
import java.util.List;

/** Writes docs/CONFIGURATION.md from {@link Settings}. Stateless, for any thread. */
final class ConfigurationPage {
  private static final String HEAD =
      """
      # Configuration

      `sluice run --config FILE` reads a YAML file; `sluice check-config FILE` lists every problem \
      in one. Options of the command line go before the file, and a URL of the broker is all that must be given.

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

      - A key may also be written with dots, at any level: `server.port: 8080`. A key that does not \
      exist, or that occurs twice, is an error.
      - `${NAME}` in a value is the environment variable of that name, which must be set; \
      `${NAME:-default}` has a default; `$${` is a literal `${`. Inside `[ ]` and `{ }` put \
      quotation marks around it.
      - Durations have a unit: `200ms`, `10s`, `5m`, `1h`. Sizes may have one: `512B`, `64KiB`, \
      `1MiB`, `1GiB`; a plain number is bytes.
      - The file is UTF-8 and has at most 1 MiB.
      - Editors complete and check the file with its \
      [JSON Schema](https://json-schema.org): [config.schema.json](reference/config.schema.json). \
      `check-config` also reads referenced files and compares keys with each other.

      This page is generated. After a change of the settings, write it anew with \
      `mvn -pl gateway -am test -Dtest=ConfigurationPageTest \
      -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.docs=write`.
      """;

  private static final String RELOAD =
      """
      A [reload](operations/deploy.md#change-the-configuration) applies changes of these keys. A \
      change of any other key applies after a restart. A quota that \
      changes from or to 0 requires a restart, too: resources without a limit are not counted. The \
      answer of the reload contains the reason for each key that requires a restart.
      """;

  private ConfigurationPage() {}

  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    String section = "";
    for (Setting<?> setting : Settings.all()) {
      String its = Settings.block(setting);
      if (!its.equals(section)) {
        section = its;
        page.append("\n## ").append(section).append("\n\n");
        page.append("| key | default | values | meaning |\n|---|---|---|---|\n");
      }
      page.append(row(setting));
    }
    page.append("\n## Reload\n\n").append(RELOAD).append('\n');
    Settings.all().stream()
        .filter(ConfigChange::isReloadable)
        .forEach(setting -> page.append("- `").append(setting.key()).append("`\n"));
    return page.toString();
  }

  private static String row(Setting<?> setting) {
    String shown = setting.defaultValue() == null ? "none" : code(setting.defaultValue());
    List<String> cells =
        List.of("`" + setting.key() + "`", shown, values(setting), setting.meaning());
    return "| "
        + String.join(" | ", cells.stream().map(c -> c.replace("|", "\\|")).toList())
        + " |\n";
  }

  private static String code(Object value) {
    String text = value instanceof String words ? words : ValueText.write(value);
    return text.isEmpty() ? "empty" : "`" + text + "`";
  }

  private static String values(Setting<?> setting) {
    if (!setting.choices().isEmpty()) {
      return "`" + String.join("`, `", setting.choices()) + "`";
    }
    boolean numeric = setting.maximum() > 1 && hasBounds(setting);
    return numeric ? kind(setting) + " " + ValueText.bounds(setting) : setting.type().toString();
  }

  private static boolean hasBounds(Setting<?> setting) {
    return setting.type() == Setting.Type.INTEGER
        || setting.type() == Setting.Type.DURATION
        || setting.type() == Setting.Type.BYTES;
  }

  private static String kind(Setting<?> setting) {
    return setting.type().toString().replaceAll(" \\(.*", "");
  }
}
