package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What must hold between several settings, or beyond the form of one. Used once, by one thread. A
 * rule is silent where a value that it needs is itself broken.
 */
final class ConfigRules {
  private static final Set<String> WILDCARDS = Set.of("level", "rest", "separator");

  /** Words of the audit log, which the test of its events keeps equal to these. */
  static final List<String> AUDIT_EVENTS =
      List.of(
          "connected",
          "refreshed",
          "disconnected",
          "subscribed",
          "published",
          "refused",
          "revoked",
          "restored",
          "admin-refused");

  /** No character that any provider could read more into than a name. */
  private static final Pattern PLAIN_TOPIC = Pattern.compile("[\\w-]+(\\.[\\w-]+)*");

  private static final String KEY_SOURCES =
      "one of auth.jwt.keys, auth.jwt.jwks-url and auth.jwt.discovery";

  private static final List<Setting<?>> JWT_ONLY =
      List.of(
          Settings.AUTH_JWT_KEYS_POLL,
          Settings.AUTH_JWT_REFRESH,
          Settings.AUTH_JWT_REFRESH_MIN,
          Settings.AUTH_JWT_ALGORITHMS,
          Settings.AUTH_JWT_REQUIRE_EXPIRY);

  private static final List<Setting<?>> TOKENS_ONLY =
      List.of(
          Settings.AUTH_JWT_ISSUER,
          Settings.AUTH_JWT_AUDIENCE,
          Settings.AUTH_JWT_CLOCK_SKEW,
          Settings.AUTH_JWT_SUBJECT_CLAIM,
          Settings.AUTH_TRUST,
          Settings.AUTH_ALLOW_PLAIN_HTTP);

  private static final List<Setting<?>> INTROSPECTION_ONLY =
      List.of(
          Settings.AUTH_INTROSPECTION_CLIENT_ID,
          Settings.AUTH_INTROSPECTION_CLIENT_SECRET,
          Settings.AUTH_INTROSPECTION_CACHE,
          Settings.AUTH_INTROSPECTION_CACHE_REFUSED,
          Settings.AUTH_INTROSPECTION_CACHE_ENTRIES,
          Settings.AUTH_INTROSPECTION_IN_FLIGHT);

  private final ConfigDraft draft;
  private final Config config;
  private final List<Problem> problems = new ArrayList<>();

  ConfigRules(ConfigDraft draft) {
    this.draft = draft;
    this.config = draft.config();
  }

  List<Problem> problems() {
    checkTimes();
    checkSizes();
    checkAddresses();
    checkOrigins();
    checkHijacking();
    checkProxies();
    checkTls();
    checkAdmin();
    checkAudit();
    checkKeySources();
    checkJwt();
    checkIntrospection();
    checkIssuerAddresses();
    checkBrokerUrl();
    checkBrokerCredentials();
    checkProvider();
    checkJars();
    checkWildcards();
    checkCanary();
    checkTopics(Settings.SUBSCRIBE_TOPICS);
    checkTopics(Settings.PUBLISH_TOPICS);
    checkTopics(Settings.HISTORY_WARM);
    checkTopics(Settings.BROKER_DURABLE);
    checkPermissions();
    checkJournal();
    checkDurable();
    checkKeyProperties();
    return problems;
  }

  private void checkTimes() {
    ordered(Settings.BROKER_RECONNECT_MIN, "more than", Settings.BROKER_RECONNECT_MAX, 0);
    ordered(Settings.TIMEOUT_PING, "not less than", Settings.TIMEOUT_IDLE, -1);
  }

  private void checkSizes() {
    ordered(Settings.LIMIT_FRAME_BYTES, "more than", Settings.LIMIT_MESSAGE_BYTES, 0);
    ordered(Settings.LIMIT_STREAM_BODY_BYTES, "more than", Settings.LIMIT_STREAM_BODIES_BYTES, 0);
    checkFrameRate();
    if (config.get(Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES) > 0) {
      ordered(Settings.LIMIT_MESSAGE_BYTES, "more than", Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES, 0);
    }
  }

  /** A client that comes back subscribes to all that it had at once. */
  private void checkFrameRate() {
    long atOnce = 10L * config.get(Settings.LIMIT_FRAME_RATE);
    int subscriptions = config.get(Settings.LIMIT_SUBSCRIPTIONS);
    if (atOnce > 0 && atOnce < subscriptions) {
      report(
          "lets "
              + atOnce
              + " frames come at once, fewer than limits.subscriptions, "
              + subscriptions,
          "a tenth of limits.subscriptions or more, or 0",
          Settings.LIMIT_FRAME_RATE,
          Settings.LIMIT_SUBSCRIPTIONS);
    }
  }

  /** The order that is still allowed: 0 if both may be the same, -1 if not. */
  private <T extends Comparable<T>> void ordered(
      Setting<T> low, String wrongly, Setting<T> high, int allowed) {
    T lower = config.get(low);
    T higher = config.get(high);
    if (lower.compareTo(higher) <= allowed) {
      return;
    }
    String compared = ValueText.write(lower) + " is " + wrongly + " " + high.key();
    report(compared + ", " + ValueText.write(higher), "", low, high);
  }

  private void checkAddresses() {
    int port = config.get(Settings.SERVER_PORT);
    boolean same = port != 0 && port == config.get(Settings.ADMIN_PORT);
    if (same) {
      report(
          "clients and admin have the same port, " + port,
          "two ports",
          Settings.ADMIN_PORT,
          Settings.SERVER_PORT);
    }
  }

  private void checkOrigins() {
    for (String origin : config.get(Settings.SERVER_ALLOWED_ORIGINS)) {
      if (!origin.equals("*") && !isOrigin(origin)) {
        report(
            ValueText.quote(origin) + " is not an origin",
            "* or a scheme and a host, such as https://app.example.com",
            Settings.SERVER_ALLOWED_ORIGINS);
      }
    }
  }

  /** Any page could act in the name of a visitor whose browser shows the credential by itself. */
  private void checkHijacking() {
    if (!config.get(Settings.SERVER_ALLOWED_ORIGINS).contains("*")) {
      return;
    }
    if (!config.get(Settings.AUTH_COOKIE).isEmpty()) {
      reportHijacking("the cookie", Settings.AUTH_COOKIE);
    }
    if (!config.get(Settings.SERVER_TLS_CLIENT_AUTH).equals("none")) {
      reportHijacking("the certificate", Settings.SERVER_TLS_CLIENT_AUTH);
    }
  }

  /** Browsers show it for whichever page connects. */
  private void reportHijacking(String what, Setting<?> setting) {
    report(
        "* lets any page use "
            + what
            + " of "
            + setting.key()
            + " that a visitor has for this node",
        "the origins of your own pages",
        Settings.SERVER_ALLOWED_ORIGINS,
        setting);
  }

  private void checkProxies() {
    for (String range : config.get(Settings.SERVER_TRUSTED_PROXIES)) {
      if (AddressRange.parse(range).isEmpty()) {
        report(
            ValueText.quote(range) + " is no address and no range",
            "such as 10.0.0.7, 10.0.0.0/8, ::1 or 2001:db8::/32",
            Settings.SERVER_TRUSTED_PROXIES);
      }
    }
    if (config.get(Settings.SERVER_TRUSTED_PROXIES).isEmpty()) {
      if (config.get(Settings.SERVER_PROXY_PROTOCOL)) {
        needsProxies(Settings.SERVER_PROXY_PROTOCOL);
      }
      if (!config.get(Settings.SERVER_FORWARDED_HEADER).equals("none")) {
        needsProxies(Settings.SERVER_FORWARDED_HEADER);
      }
    }
  }

  private void needsProxies(Setting<?> setting) {
    report(
        "is empty, but " + setting.key() + " needs it",
        "the addresses of the proxies",
        Settings.SERVER_TRUSTED_PROXIES,
        setting);
  }

  /** Scheme, host and perhaps a port; as browsers send it, so without a slash at the end. */
  private static boolean isOrigin(String text) {
    try {
      URI uri = URI.create(text);
      return uri.getHost() != null
          && uri.getUserInfo() == null
          && uri.getRawPath().isEmpty()
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null;
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  private void checkTls() {
    try {
      boolean off = TlsFiles.read(config).isEmpty();
      if (off) {
        List.of(
                Settings.SERVER_TLS_ENGINE,
                Settings.SERVER_TLS_CERTIFICATES,
                Settings.SERVER_TLS_OCSP_RESPONSES,
                Settings.SERVER_TLS_RELOAD,
                Settings.SERVER_TLS_CLIENT_CA,
                Settings.SERVER_TLS_CLIENT_CRL)
            .forEach(this::hasNoEffectWithoutCertificate);
      } else if (config.get(Settings.SERVER_TLS_CLIENT_AUTH).equals("none")) {
        hasNoEffectWithoutClientAuth(Settings.SERVER_TLS_CLIENT_CA);
        hasNoEffectWithoutClientAuth(Settings.SERVER_TLS_CLIENT_CRL);
      }
      if (config.get(Settings.SERVER_TLS_ENGINE).equals("jdk")
          && !config.get(Settings.SERVER_TLS_OCSP_RESPONSES).isEmpty()) {
        report(
            "the engine jdk cannot give them to clients",
            "server.tls.engine auto or openssl",
            Settings.SERVER_TLS_OCSP_RESPONSES,
            Settings.SERVER_TLS_ENGINE);
      }
      if (off && config.get(Settings.SERVER_HSTS).toSeconds() > 0) {
        report(
            "browsers believe it only by TLS, which the node does not speak without a certificate",
            Settings.SERVER_TLS_CERTIFICATE.key() + " and " + Settings.SERVER_TLS_KEY.key(),
            Settings.SERVER_HSTS,
            Settings.SERVER_TLS_CERTIFICATE,
            Settings.SERVER_TLS_KEY);
      }
    } catch (UnusableTls e) {
      report(e.what(), "", e.setting(), Settings.SERVER_TLS_CERTIFICATE, Settings.SERVER_TLS_KEY);
    }
  }

  private void hasNoEffectWithoutCertificate(Setting<?> setting) {
    if (draft.origin(setting).isPresent()) {
      report(
          "has no effect without a certificate",
          Settings.SERVER_TLS_CERTIFICATE.key() + " and " + Settings.SERVER_TLS_KEY.key(),
          setting,
          Settings.SERVER_TLS_CERTIFICATE,
          Settings.SERVER_TLS_KEY);
    }
  }

  private void hasNoEffectWithoutClientAuth(Setting<?> setting) {
    if (draft.origin(setting).isPresent()) {
      report(
          "has no effect while clients are asked for no certificate",
          Settings.SERVER_TLS_CLIENT_AUTH.key() + " optional or required",
          setting,
          Settings.SERVER_TLS_CLIENT_AUTH);
    }
  }

  private void checkBrokerCredentials() {
    oneOf(Settings.BROKER_USER_FILE, Settings.BROKER_USER);
    oneOf(Settings.BROKER_PASSWORD_FILE, Settings.BROKER_PASSWORD);
  }

  /** A file in the place of a value: not both, and it can be read already. */
  private void oneOf(Setting<String> file, Setting<String> value) {
    String name = config.get(file);
    if (name.isEmpty()) {
      return;
    }
    if (!config.get(value).isEmpty()) {
      report("stands beside " + value.key(), "one of the two", file, value);
    }
    try {
      new LineFile(file, name).read();
    } catch (IOException e) {
      report(e.getMessage().substring(file.key().length() + 2), "a file with one line", file);
    }
  }

  private void checkAdmin() {
    String host = config.get(Settings.ADMIN_HOST);
    boolean noToken =
        config.get(Settings.ADMIN_TOKEN).isEmpty()
            && config.get(Settings.ADMIN_TOKEN_FILE).isEmpty();
    if (noToken && !config.get(Settings.ADMIN_METRICS_OPEN) && !Loopback.is(host)) {
      report(
          ValueText.quote(host) + " can be reached by others, and the admin port asks for no token",
          "a loopback address, admin.token, admin.token-file, or admin.metrics-open: true for"
              + " metrics without commands",
          Settings.ADMIN_HOST);
    }
    try {
      AdminTokens.read(config);
    } catch (UnusableToken e) {
      report(e.what(), "tokens of 16 characters or more", e.setting());
    }
    try {
      TlsIdentity.readAdmin(config);
    } catch (UnusableTls e) {
      report(e.what(), "", e.setting(), Settings.ADMIN_TLS_CERTIFICATE, Settings.ADMIN_TLS_KEY);
    }
  }

  private void checkAudit() {
    for (String event : config.get(Settings.AUDIT_EVENTS)) {
      if (!AUDIT_EVENTS.contains(event)) {
        report(
            ValueText.quote(event) + " is unknown" + NearestKey.hint(event, AUDIT_EVENTS),
            "some of " + String.join(", ", AUDIT_EVENTS),
            Settings.AUDIT_EVENTS);
      }
    }
    try {
      Path.of(config.get(Settings.AUDIT_FILE));
    } catch (InvalidPathException malformed) {
      report("is no path: " + malformed.getReason(), "a file, or -", Settings.AUDIT_FILE);
    }
  }

  /** Whether there is any way to check a token. */
  private boolean hasTokens() {
    return hasJwt() || !config.get(Settings.AUTH_INTROSPECTION_URL).isEmpty();
  }

  private boolean hasJwt() {
    return !keySources().isEmpty();
  }

  private List<Setting<?>> keySources() {
    List<Setting<?>> sources = new ArrayList<>();
    if (!config.get(Settings.AUTH_JWT_KEYS).isEmpty()) {
      sources.add(Settings.AUTH_JWT_KEYS);
    }
    if (!config.get(Settings.AUTH_JWT_JWKS_URL).isEmpty()) {
      sources.add(Settings.AUTH_JWT_JWKS_URL);
    }
    if (config.get(Settings.AUTH_JWT_DISCOVERY)) {
      sources.add(Settings.AUTH_JWT_DISCOVERY);
    }
    return sources;
  }

  // Keys of two places could not be taken back at one of them.
  private void checkKeySources() {
    List<Setting<?>> sources = keySources();
    if (sources.size() > 1) {
      report(
          "the keys of JWTs come from " + sources.get(1).key() + " as well",
          KEY_SOURCES,
          sources.get(0),
          sources.get(1));
    }
    if (config.get(Settings.AUTH_JWT_DISCOVERY) && config.get(Settings.AUTH_JWT_ISSUER).isEmpty()) {
      report(
          "is empty, but auth.jwt.discovery needs it",
          "the URL of the issuer",
          Settings.AUTH_JWT_ISSUER,
          Settings.AUTH_JWT_DISCOVERY);
    }
  }

  private void checkJwt() {
    List<String> algorithms = config.get(Settings.AUTH_JWT_ALGORITHMS);
    if (algorithms.isEmpty() || !Settings.JWT_ALGORITHMS.containsAll(algorithms)) {
      report(
          algorithms + " are not algorithms that sign with a key pair",
          "some of " + String.join(", ", Settings.JWT_ALGORITHMS),
          Settings.AUTH_JWT_ALGORITHMS);
    }
    if (config.get(Settings.AUTH_JWT_SUBJECT_CLAIM).isEmpty()) {
      report("is empty", "the name of a claim", Settings.AUTH_JWT_SUBJECT_CLAIM);
    }
    ordered(Settings.AUTH_JWT_REFRESH_MIN, "more than", Settings.AUTH_JWT_REFRESH, 0);
    if (!hasJwt()) {
      for (Setting<?> setting : JWT_ONLY) {
        needless(setting, "the keys of JWTs", KEY_SOURCES);
      }
    }
    if (!hasTokens()) {
      for (Setting<?> setting : TOKENS_ONLY) {
        needless(setting, "tokens", KEY_SOURCES + ", or auth.introspection.url");
      }
    }
  }

  private void checkIntrospection() {
    String url = config.get(Settings.AUTH_INTROSPECTION_URL);
    if (url.isEmpty()) {
      for (Setting<?> setting : INTROSPECTION_ONLY) {
        needless(setting, "auth.introspection.url", "a URL there");
      }
    } else if (config.get(Settings.AUTH_INTROSPECTION_CLIENT_ID).isEmpty()) {
      report(
          "is empty, but auth.introspection.url needs it",
          "the name that the issuer knows this node by",
          Settings.AUTH_INTROSPECTION_CLIENT_ID,
          Settings.AUTH_INTROSPECTION_URL);
    }
  }

  private void needless(Setting<?> setting, String missing, String expected) {
    if (draft.origin(setting).isPresent()) {
      report("has no effect without " + missing, expected, setting);
    }
  }

  private void checkIssuerAddresses() {
    checkIssuerAddress(Settings.AUTH_JWT_JWKS_URL);
    checkIssuerAddress(Settings.AUTH_INTROSPECTION_URL);
    if (config.get(Settings.AUTH_JWT_DISCOVERY)) {
      checkIssuerAddress(Settings.AUTH_JWT_ISSUER);
    }
  }

  private void checkIssuerAddress(Setting<String> setting) {
    String url = config.get(setting);
    if (url.isEmpty()) {
      return;
    }
    String problem = IssuerUrl.problem(url, config.get(Settings.AUTH_ALLOW_PLAIN_HTTP));
    if (problem != null) {
      report(problem, IssuerUrl.EXPECTED, setting, Settings.AUTH_ALLOW_PLAIN_HTTP);
    }
  }

  private void checkBrokerUrl() {
    String url = config.get(Settings.BROKER_URL);
    BrokerUrl.problem(config.get(Settings.BROKER_PROVIDER), url == null ? "" : url)
        .ifPresent(
            problem ->
                report(problem, BrokerUrl.EXPECTED, Settings.BROKER_URL, Settings.BROKER_PROVIDER));
  }

  private void checkProvider() {
    String provider = config.get(Settings.BROKER_PROVIDER);
    if (provider.equals("factory") && config.get(Settings.BROKER_FACTORY_CLASS).isEmpty()) {
      report(
          "provider factory needs the class of the ConnectionFactory",
          "a class name",
          Settings.BROKER_FACTORY_CLASS,
          Settings.BROKER_PROVIDER);
    }
    onlyFor(provider, Settings.BROKER_FACTORY_CLASS, "factory");
    onlyFor(provider, Settings.BROKER_FACTORY_PROPERTIES, "factory");
    onlyFor(provider, Settings.BROKER_JNDI_CONNECTION_FACTORY, "jndi");
    onlyFor(provider, Settings.BROKER_JNDI_ENVIRONMENT, "jndi");
    onlyFor(provider, Settings.BROKER_JARS, "factory", "jndi");
    onlyFor(provider, Settings.BROKER_WILDCARDS, "factory", "jndi");
  }

  /** A key that would have no effect is a mistake that would otherwise go unseen. */
  private void onlyFor(String provider, Setting<?> setting, String... providers) {
    boolean given = draft.origin(setting).isPresent();
    if (given && !List.of(providers).contains(provider)) {
      report(
          "has no effect with broker.provider " + provider,
          "broker.provider " + String.join(" or ", providers),
          setting,
          Settings.BROKER_PROVIDER);
    }
  }

  private void checkJars() {
    String jars = config.get(Settings.BROKER_JARS);
    if (!jars.isEmpty() && !isFolder(jars)) {
      report("there is no folder " + ValueText.quote(jars), "a folder", Settings.BROKER_JARS);
    }
  }

  private static boolean isFolder(String name) {
    try {
      return Files.isDirectory(Path.of(name));
    } catch (InvalidPathException malformed) {
      return false;
    }
  }

  private void checkWildcards() {
    for (String name : config.get(Settings.BROKER_WILDCARDS).keySet()) {
      if (!WILDCARDS.contains(name)) {
        String hint = NearestKey.hint(name, WILDCARDS);
        report(
            ValueText.quote(name) + " is unknown" + hint,
            "level, rest and separator",
            Settings.BROKER_WILDCARDS);
      }
    }
  }

  // With one interval a single canary that is late would be a loss.
  private void checkCanary() {
    atLeastTwice(Settings.BROKER_CANARY_PATIENCE, Settings.BROKER_CANARY_INTERVAL, "");
    String prefix = config.get(Settings.BROKER_CANARY_PREFIX);
    if (!PLAIN_TOPIC.matcher(prefix).matches()) {
      report(
          ValueText.quote(prefix) + " is no plain topic",
          "levels of letters, digits, - and _, joined by dots",
          Settings.BROKER_CANARY_PREFIX);
    }
  }

  private void atLeastTwice(Setting<Duration> high, Setting<Duration> low, String why) {
    Duration lower = config.get(low);
    Duration higher = config.get(high);
    if (higher.compareTo(lower.multipliedBy(2)) < 0) {
      String compared = ValueText.write(higher) + " is less than twice " + low.key();
      report(compared + ", " + ValueText.write(lower) + why, "", high, low);
    }
  }

  private void checkJournal() {
    try {
      Path.of(config.get(Settings.JOURNAL_FOLDER));
    } catch (InvalidPathException malformed) {
      report("is no path: " + malformed.getReason(), "a folder", Settings.JOURNAL_FOLDER);
    }
  }

  private void checkDurable() {
    if (config.get(Settings.BROKER_DURABLE).isEmpty()) {
      return;
    }
    if (config.get(Settings.BROKER_CLIENT_ID).isEmpty()) {
      report(
          "is empty, but broker.durable needs it",
          "a name that no other node has and that stays",
          Settings.BROKER_CLIENT_ID,
          Settings.BROKER_DURABLE);
    }
    if (config.get(Settings.JOURNAL_FOLDER).isEmpty()) {
      report(
          "is empty, but broker.durable needs it",
          "a folder on a local disk",
          Settings.JOURNAL_FOLDER,
          Settings.BROKER_DURABLE);
    }
    atLeastTwice(
        Settings.RESUME_MARGIN, Settings.RESUME_SPREAD, ", and broker.durable needs as much");
    if (config.get(Settings.HISTORY_MESSAGES) == 0) {
      report(
          "0 keeps nothing, but broker.durable needs a log",
          "1 or more",
          Settings.HISTORY_MESSAGES,
          Settings.BROKER_DURABLE);
    }
  }

  /** A pattern that isn't one would match nothing, and lock every client out. */
  private void checkKeyProperties() {
    for (String rule : config.get(Settings.HISTORY_KEY_PROPERTIES)) {
      int equals = rule.indexOf('=');
      if (equals < 1 || equals == rule.length() - 1) {
        report(
            ValueText.quote(rule) + " is no pattern=property",
            "such as orders.>=orderId",
            Settings.HISTORY_KEY_PROPERTIES);
      } else {
        checkTopic(rule.substring(0, equals), Settings.HISTORY_KEY_PROPERTIES);
      }
    }
  }

  private void checkTopics(Setting<List<String>> setting) {
    config.get(setting).forEach(topic -> checkTopic(topic, setting));
  }

  private void checkTopic(String topic, Setting<?> setting) {
    tell(topicRules().checkPattern(topic), setting);
  }

  private void checkPermissions() {
    TopicRules rules = topicRules();
    for (PermissionRule rule : config.get(Settings.PERMISSIONS_RULES)) {
      Stream.concat(rule.subscribe().stream(), rule.publish().stream())
          .map(pattern -> TopicTemplate.problem(pattern, rules))
          .forEach(problem -> tell(problem, Settings.PERMISSIONS_RULES));
    }
  }

  private TopicRules topicRules() {
    return new TopicRules(
        config.get(Settings.LIMIT_TOPIC_LENGTH), config.get(Settings.LIMIT_TOPIC_DEPTH));
  }

  private void tell(TopicRules.Problem problem, Setting<?> setting) {
    if (problem != null) {
      report(
          problem.message(),
          "levels joined by dots, * for any one level, > at the end for any rest",
          setting);
    }
  }

  /** The problem is told at the first of the settings that was given. */
  private void report(String what, String expected, Setting<?>... settings) {
    if (!Arrays.stream(settings).allMatch(draft::isSound)) {
      return;
    }
    Optional<Setting<?>> given =
        Arrays.stream(settings).filter(s -> draft.origin(s).isPresent()).findFirst();
    Origin origin = given.flatMap(draft::origin).orElse(Origin.of("defaults"));
    problems.add(new Problem(origin, settings[0].key(), what, expected));
  }
}
