package io.sluice.gateway.broker.jms;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.NearestKey;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.ValueText;
import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Validation rules for the settings of the broker and of durable subscriptions. Used once, by one
 * thread.
 */
public final class BrokerRules {
  private static final Set<String> WILDCARDS = Set.of("level", "rest", "separator");

  /** Names of properties that JMS permits an application to set. */
  private static final Pattern PROPERTY =
      Pattern.compile(
          "(?!(?i:JMS.*|NULL|TRUE|FALSE|NOT|AND|OR|BETWEEN|LIKE|IN|IS|ESCAPE)$)[A-Za-z_$][\\w$]*");

  /** Only characters that no provider interprets as a wildcard or separator. */
  private static final Pattern PLAIN_TOPIC = Pattern.compile("[\\w-]+(\\.[\\w-]+)*");

  private final ConfigFindings findings;
  private final Config config;

  private BrokerRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports all violations of the rules. */
  public static void check(ConfigFindings findings) {
    new BrokerRules(findings).check();
  }

  private void check() {
    checkBrokerUrl();
    checkBrokerCredentials();
    checkProvider();
    checkJars();
    checkWildcards();
    checkCanary();
    checkIdentity();
    checkDurable();
  }

  private void checkBrokerUrl() {
    String url = config.get(BrokerSettings.URL);
    String provider = config.get(BrokerSettings.PROVIDER);
    ServiceUrl.brokerProblem(provider, url == null ? "" : url)
        .ifPresent(
            problem ->
                findings.report(
                    problem,
                    ServiceUrl.brokerExpected(provider),
                    BrokerSettings.URL,
                    BrokerSettings.PROVIDER));
  }

  private void checkBrokerCredentials() {
    findings.checkFileOrValue(BrokerSettings.USER_FILE, BrokerSettings.USER);
    findings.checkFileOrValue(BrokerSettings.PASSWORD_FILE, BrokerSettings.PASSWORD);
  }

  private void checkProvider() {
    String provider = config.get(BrokerSettings.PROVIDER);
    if (provider.equals("factory") && config.get(BrokerSettings.CONNECTION_FACTORY).isEmpty()) {
      findings.report(
          "is empty, but broker.provider factory needs it",
          "the class name of a ConnectionFactory",
          BrokerSettings.CONNECTION_FACTORY,
          BrokerSettings.PROVIDER);
    }
    requireProvider(provider, BrokerSettings.CONNECTION_FACTORY, "factory", "jndi");
    requireProvider(provider, BrokerSettings.PROPERTIES, "factory", "jndi");
    requireProvider(provider, BrokerSettings.JARS, "amqp", "factory", "jndi");
    requireProvider(provider, BrokerSettings.WILDCARDS, "amqp", "factory", "jndi");
    requireProvider(provider, BrokerSettings.INTERNAL_NAMES, "amqp", "factory", "jndi");
    if (!config.get(BrokerSettings.REPORT).isEmpty()) { // the check of a provider clears it
      requireProvider(provider, BrokerSettings.REPORT, "amqp", "factory", "jndi");
    }
  }

  /** Reports a key without effect, which is probably a mistake. */
  private void requireProvider(String provider, Setting<?> setting, String... providers) {
    boolean given = findings.isGiven(setting);
    if (given && !List.of(providers).contains(provider)) {
      findings.report(
          "has no effect with broker.provider " + provider,
          "broker.provider " + String.join(" or ", providers),
          setting,
          BrokerSettings.PROVIDER);
    }
  }

  private void checkJars() {
    String jars = config.get(BrokerSettings.JARS);
    if (!jars.isEmpty() && !new File(jars).isDirectory()) {
      findings.report(
          ValueText.quote(jars) + " is not a folder", "an existing folder", BrokerSettings.JARS);
    }
  }

  private void checkWildcards() {
    config.get(BrokerSettings.WILDCARDS).forEach(this::checkWildcard);
  }

  // Topics cannot contain a wildcard's characters, so those of plain topics are not allowed here.
  private void checkWildcard(String name, String spelling) {
    if (!WILDCARDS.contains(name)) {
      String hint = NearestKey.hint(name, WILDCARDS);
      findings.report(
          ValueText.quote(name) + " is unknown" + hint,
          "level, rest and separator",
          BrokerSettings.WILDCARDS);
    } else if (spelling.isEmpty() || spelling.chars().anyMatch(BrokerRules::isNameCharacter)) {
      findings.report(
          name + " is " + ValueText.quote(spelling),
          "characters other than letters, digits, - and _",
          BrokerSettings.WILDCARDS);
    }
  }

  private static boolean isNameCharacter(int c) {
    return Character.isLetterOrDigit(c) || c == '-' || c == '_';
  }

  private void checkCanary() {
    String prefix = config.get(BrokerSettings.CANARY_PREFIX);
    if (!prefix.isEmpty() && !PLAIN_TOPIC.matcher(prefix).matches()) {
      findings.report(
          ValueText.quote(prefix) + " is not a plain topic",
          "levels of letters, digits, - and _, joined by dots, or an empty text",
          BrokerSettings.CANARY_PREFIX);
    }
  }

  private void checkIdentity() {
    String property = config.get(BrokerSettings.IDENTITY_PROPERTY);
    if (!property.isEmpty() && !PROPERTY.matcher(property).matches()) {
      findings.report(
          ValueText.quote(property) + " is not a property that applications can set",
          "letters, digits, _ and $, not a digit first and not JMS at the start, no word of"
              + " selectors, or an empty text",
          BrokerSettings.IDENTITY_PROPERTY);
    }
  }

  private void checkDurable() {
    if (config.get(BrokerSettings.DURABLE).isEmpty()) {
      return;
    }
    if (config.get(BrokerSettings.CLIENT_ID).isEmpty()) {
      findings.report(
          "is empty, but broker.durable needs it",
          "a name that is unique to this node and never changes",
          BrokerSettings.CLIENT_ID,
          BrokerSettings.DURABLE);
    }
    if (config.get(HistorySettings.JOURNAL_FOLDER).isEmpty()) {
      findings.report(
          "is empty, but broker.durable needs it",
          "a folder on a local disk",
          HistorySettings.JOURNAL_FOLDER,
          BrokerSettings.DURABLE);
    }
    if (config.get(BrokerSettings.CANARY_PREFIX).isEmpty()) {
      findings.report(
          "is empty, but broker.durable needs it",
          "the first levels of topics that clients do not use",
          BrokerSettings.CANARY_PREFIX,
          BrokerSettings.DURABLE);
    }
    checkDurableMargin();
    if (config.get(HistorySettings.MESSAGES) == 0) {
      findings.report(
          "is 0, but broker.durable needs a topic log",
          "1 or more",
          HistorySettings.MESSAGES,
          BrokerSettings.DURABLE);
    }
  }

  private void checkDurableMargin() {
    Duration margin = config.get(HistorySettings.RESUME_MARGIN);
    Duration minimum = config.get(HistorySettings.RESUME_SPREAD).multipliedBy(2);
    if (margin.compareTo(minimum) < 0) {
      findings.report(
          ValueText.write(margin) + " is too short for broker.durable",
          ValueText.write(minimum) + " or more",
          HistorySettings.RESUME_MARGIN,
          BrokerSettings.DURABLE);
    }
  }
}
