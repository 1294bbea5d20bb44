package io.sluice.gateway.dictionary;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.config.ValueText;
import io.sluice.gateway.protocol.TopicRules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Reader and validation of {@code topics.compression}. Stateless, for any thread. */
public final class CompressionRules {
  private CompressionRules() {}

  /** Returns the patterns of topics whose messages refer to no other content. */
  public static List<String> alone(Config config) {
    return config.get(TopicSettings.TOPIC_COMPRESSION).stream()
        .map(TopicCompression::of)
        .filter(each -> each != null && each.isAlone())
        .map(TopicCompression::pattern)
        .toList();
  }

  /**
   * Reads the configured dictionaries.
   *
   * @throws UnusableDictionary if one cannot be used; the message contains the key
   */
  public static Dictionaries dictionaries(Config config) throws UnusableDictionary {
    try {
      return Dictionaries.read(files(config.get(TopicSettings.TOPIC_COMPRESSION)));
    } catch (UnusableDictionary e) {
      String key = TopicSettings.TOPIC_COMPRESSION.key();
      throw new UnusableDictionary(key + ": " + e.getMessage(), e);
    }
  }

  // The check of the configuration reports this problem, too, but embedded nodes do without it.
  private static List<TopicCompression> files(List<String> elements) throws UnusableDictionary {
    List<TopicCompression> files = new ArrayList<>();
    for (String element : elements) {
      TopicCompression each = TopicCompression.of(element);
      if (each == null) {
        throw new UnusableDictionary(TopicCompression.malformed(element), null);
      }
      if (!each.isAlone()) {
        files.add(each);
      }
    }
    return files;
  }

  /** Reports all problems of the setting and its files. */
  public static void check(ConfigFindings findings) {
    List<String> elements = findings.config().get(TopicSettings.TOPIC_COMPRESSION);
    elements.stream()
        .filter(element -> TopicCompression.of(element) == null)
        .forEach(element -> report(findings, TopicCompression.malformed(element)));
    List<TopicCompression> all =
        elements.stream().map(TopicCompression::of).filter(Objects::nonNull).toList();
    checkPatterns(all, findings);
    List<TopicCompression> files = all.stream().filter(each -> !each.isAlone()).toList();
    files.forEach(file -> checkContent(file, findings));
    if (files.size() > Dictionaries.MAX) {
      report(findings, Dictionaries.tooMany(files.size()));
    }
    if (!findings.config().get(ServerSettings.COMPRESSION)) {
      findings.reportNoEffect(
          TopicSettings.TOPIC_COMPRESSION, ServerSettings.COMPRESSION.key(), "an empty list");
    }
  }

  private static void checkPatterns(List<TopicCompression> all, ConfigFindings findings) {
    TopicRules rules = TopicSettings.topicRules(findings.config());
    Set<String> patterns = new HashSet<>();
    for (TopicCompression each : all) {
      TopicRules.Problem invalid = rules.checkPattern(each.pattern());
      if (invalid != null) {
        report(findings, invalid.message());
      } else if (!patterns.add(each.pattern())) {
        report(findings, "contains the pattern " + ValueText.quote(each.pattern()) + " twice");
      }
    }
  }

  private static void checkContent(TopicCompression file, ConfigFindings findings) {
    try {
      file.read();
    } catch (UnusableDictionary e) {
      findings.report(
          e.getMessage(), TopicCompression.EXPECTED_CONTENT, TopicSettings.TOPIC_COMPRESSION);
    }
  }

  private static void report(ConfigFindings findings, String what) {
    findings.report(what, TopicCompression.EXPECTED, TopicSettings.TOPIC_COMPRESSION);
  }
}
