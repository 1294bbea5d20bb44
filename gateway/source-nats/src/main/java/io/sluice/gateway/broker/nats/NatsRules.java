package io.sluice.gateway.broker.nats;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.ValueText;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Validation rules for the settings of NATS. Used once, by one thread. */
public final class NatsRules {
  private static final Set<String> SCHEMES = Set.of("nats", "tls");

  private static final Pattern URL =
      Pattern.compile("([a-z]+)://(?:[\\w.-]+|\\[[0-9A-Fa-f:.]+])(?::\\d{1,5})?/?");

  private static final String EXPECTED = "a URL such as nats://nats.example.com:4222";

  private static final String TLS = "tls://nats.example.com:4222";

  private final ConfigFindings findings;
  private final Config config;

  private NatsRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports all violations of the rules. */
  public static void check(ConfigFindings findings) {
    new NatsRules(findings).check();
  }

  private void check() {
    List<String> servers = config.get(NatsSettings.SERVERS);
    servers.forEach(this::checkServer);
    if (servers.isEmpty()) {
      NatsSettings.ALL.stream()
          .filter(setting -> setting != NatsSettings.SERVERS)
          .forEach(setting -> findings.reportNoEffect(setting, NatsSettings.SERVERS, EXPECTED));
    } else if (servers.stream().noneMatch(url -> url.startsWith("tls:"))) {
      findings.reportNoEffect(NatsSettings.TRUST, "tls:// in nats.servers", TLS);
    }
    checkCredentials();
    findings.checkFile(NatsSettings.CREDENTIALS_FILE);
    findings.checkFile(NatsSettings.TRUST);
  }

  private void checkServer(String url) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches() || !SCHEMES.contains(parts.group(1))) {
      findings.report(
          ValueText.quote(ServiceUrl.masked(url)) + " is not a URL of NATS without user info",
          EXPECTED + " or " + TLS,
          NatsSettings.SERVERS);
    }
  }

  private void checkCredentials() {
    List<Setting<String>> given =
        Stream.of(NatsSettings.USER, NatsSettings.TOKEN, NatsSettings.CREDENTIALS_FILE)
            .filter(setting -> !config.get(setting).isEmpty())
            .toList();
    if (given.size() > 1) {
      findings.report("is set together with " + given.get(1).key(), "one of the two", given.get(0));
    }
    if (!config.get(NatsSettings.PASSWORD).isEmpty() && config.get(NatsSettings.USER).isEmpty()) {
      findings.reportNoEffect(NatsSettings.PASSWORD, NatsSettings.USER, "the name of a user");
    }
  }
}
