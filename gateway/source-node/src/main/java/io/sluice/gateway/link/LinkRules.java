package io.sluice.gateway.link;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LinkGrants;
import io.sluice.gateway.config.LinkGrants.Kind;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.NodeRoots;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.config.ValueText;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Validation rules for the links to other nodes. Used once, by one thread. */
public final class LinkRules {
  private static final Pattern URL =
      Pattern.compile("(wss?)://([\\w.-]+|\\[[0-9A-Fa-f:.]+])(?::(\\d{1,5}))?/?");

  private static final String BYTE = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
  private static final Pattern GROUP =
      Pattern.compile(
          "udp://(?:22[4-9]|23\\d)\\.(?:"
              + BYTE
              + "\\.){2}(?=\\d*[13579]:)"
              + BYTE
              + ":(\\d{1,5})");

  private static final int MAX_PORT = 65_535;

  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1", "[::1]");

  private static final String EXPECTED = "a URL such as wss://root.example.com:9443";

  private final ConfigFindings findings;
  private final Config config;

  private LinkRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports all violations of the rules. */
  public static void check(ConfigFindings findings) {
    new LinkRules(findings).check();
  }

  private void check() {
    boolean accepts = config.get(LinkSettings.ACCEPT);
    boolean hasPort = config.get(LinkSettings.PORT) >= 0;
    boolean dials = !LinkSettings.dialed(config).isEmpty();
    boolean isLeaf = ConfiguredSource.hasRoot(config);
    if (accepts && !config.get(LinkSettings.ROOTS).isEmpty()) {
      findings.report("is set together with nodes.roots", "one of the two", LinkSettings.ACCEPT);
    }
    if (accepts && !hasPort) {
      findings.reportNoEffect(LinkSettings.ACCEPT, LinkSettings.PORT, "a port for links");
    }
    if (!isLeaf) {
      findings.reportNoEffect(LinkSettings.TOPICS, LinkSettings.ROOTS, EXPECTED);
    }
    if (!hasPort) {
      findings.reportNoEffect(LinkSettings.HOST, LinkSettings.PORT, "a port for links");
    }
    checkServed(hasPort || dials, accepts);
    if (!hasPort && !dials && !isLeaf) {
      Stream.of(LinkSettings.CERTIFICATE, LinkSettings.KEY, LinkSettings.TRUST, LinkSettings.PEERS)
          .forEach(each -> findings.reportNoEffect(each, "links", "links.port or nodes.roots"));
    }
    config.get(LinkSettings.ROOTS).forEach(this::checkRoot);
    LinkSettings.dialed(config).forEach(url -> checkUrl(url, LinkSettings.DIAL));
    checkGroup(hasPort || dials);
    checkGrants(LinkSettings.SUBSCRIBE, Set.of(Kind.values()));
    checkGrants(LinkSettings.PUBLISH, Set.of(Kind.TOPIC, Kind.QUEUE, Kind.PRESENCE));
    checkTls(hasPort);
  }

  /** Checks what this node serves to others. */
  private void checkServed(boolean serves, boolean accepts) {
    List<Setting<List<String>>> topics = List.of(LinkSettings.SUBSCRIBE, LinkSettings.PUBLISH);
    if (!serves) {
      topics.forEach(each -> findings.reportNoEffect(each, LinkSettings.PORT, "a port for links"));
    } else if (!accepts && topics.stream().allMatch(each -> config.get(each).isEmpty())) {
      findings.report("permits no topic to other nodes", "patterns", LinkSettings.SUBSCRIBE);
    }
    boolean hasLogs = config.get(HistorySettings.MESSAGES) > 0;
    boolean hasTopics =
        config.get(LinkSettings.SUBSCRIBE).stream().anyMatch(each -> Kind.of(each) == Kind.TOPIC);
    if (serves && !hasLogs && hasTopics) {
      findings.report(
          "leaves no log for links.subscribe", "a number above 0", HistorySettings.MESSAGES);
    }
  }

  private void checkGrants(Setting<List<String>> setting, Set<Kind> kinds) {
    if (LinkGrants.of(config, setting).havePresence()) {
      if (config.get(TopicSettings.PRESENCE_TOPICS).isEmpty()) {
        String why = "is empty, but %s has presence";
        findings.report(
            why.formatted(setting.key()), "patterns of topics", TopicSettings.PRESENCE_TOPICS);
      }
    }
    for (String entry : config.get(setting)) {
      Kind kind = Kind.of(entry);
      TopicRules.Problem problem =
          TopicSettings.topicRules(config).checkPattern(kind.pattern(entry));
      if (!kinds.contains(kind)) {
        String why = ValueText.quote(entry) + " is a subscription";
        findings.report(why, "patterns of topics, or of queues such as queue:orders", setting);
      } else if (problem != null) {
        findings.report(problem.message(), "", setting);
      } else if (kind == Kind.TOPIC && !Kind.hint(entry).isEmpty()) {
        findings.report(
            ValueText.quote(entry) + " has an unknown prefix" + Kind.hint(entry), "", setting);
      }
    }
  }

  private void checkRoot(String root) {
    checkUrl(NodeRoots.url(root), LinkSettings.ROOTS);
    TopicRules rules = TopicSettings.topicRules(config);
    for (String pattern : NodeRoots.topics(root)) {
      TopicRules.Problem problem = rules.checkPattern(pattern);
      if (problem != null) {
        findings.report(problem.message(), "patterns after the URL", LinkSettings.ROOTS);
      }
    }
  }

  private boolean hasTls() {
    return !config.get(LinkSettings.CERTIFICATE).isEmpty();
  }

  private void checkUrl(String url, Setting<List<String>> setting) {
    Matcher parts = URL.matcher(url);
    String named = ValueText.quote(ServiceUrl.masked(url));
    if (!parts.matches() || !isPort(parts.group(3))) {
      findings.report(named + " is not a URL of a node", EXPECTED, setting);
    } else if (parts.group(1).equals("wss") && !hasTls()) {
      findings.report(named + " needs links.certificate", "a certificate", setting);
    } else if (parts.group(1).equals("ws") && (hasTls() || !isLoopback(parts.group(2)))) {
      findings.report(named + " is not encrypted", EXPECTED, setting);
    }
  }

  // The transport also uses the next address, therefore the group's ends with an odd number.
  private void checkGroup(boolean serves) {
    String prefix = LinkSettings.GROUP_PREFIX;
    List<String> groups =
        config.get(LinkSettings.DIAL).stream().filter(url -> url.startsWith(prefix)).toList();
    if (groups.size() > 1) {
      findings.report("has several multicast groups", "one", LinkSettings.DIAL);
    } else if (!groups.isEmpty() && !serves) {
      findings.report("has a group, but serves no node", "links.port as well", LinkSettings.DIAL);
    }
    for (String group : groups) {
      Matcher parts = GROUP.matcher(group);
      if (!parts.matches() || !isPort(parts.group(1))) {
        findings.report(
            ValueText.quote(group) + " is not a multicast group",
            "a URL such as udp://239.8.8.1:9444, whose address ends with an odd number",
            LinkSettings.DIAL);
      }
    }
  }

  private static boolean isPort(String number) {
    return number == null || Integer.parseInt(number) <= MAX_PORT;
  }

  private static boolean isLoopback(String host) {
    return LOOPBACK.contains(host);
  }

  private void checkTls(boolean hasPort) {
    List<Setting<String>> files =
        List.of(LinkSettings.CERTIFICATE, LinkSettings.KEY, LinkSettings.TRUST);
    if (files.stream().anyMatch(each -> !config.get(each).isEmpty())) {
      files.forEach(this::checkFile);
      if (config.get(LinkSettings.PEERS).isEmpty()) {
        findings.report("permits no other node", "names of nodes", LinkSettings.PEERS);
      }
      return;
    }
    findings.reportNoEffect(LinkSettings.PEERS, LinkSettings.CERTIFICATE, "a certificate");
    if (hasPort && !isLoopback(config.get(LinkSettings.HOST))) {
      findings.report(
          "is not encrypted at " + ValueText.quote(config.get(LinkSettings.HOST)),
          "links.certificate, links.key and links.trust",
          LinkSettings.PORT);
    }
  }

  private void checkFile(Setting<String> setting) {
    String name = config.get(setting);
    if (name.isEmpty()) {
      findings.report("is missing for TLS of links", "a PEM file", setting);
    }
    findings.checkFile(setting);
  }
}
