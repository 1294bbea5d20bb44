package io.sluice.gateway.broker.provider;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.Map;

/**
 * Topic syntax of a provider. Immutable, for any thread.
 *
 * @param level wildcard for one level
 * @param rest wildcard for all further levels; some providers also match zero levels
 * @param separator separator of levels
 */
public record Wildcards(String level, String rest, String separator) {
  private static final String SEPARATOR = ".";

  /** Reads the keys level, rest and separator. The defaults are Sluice's syntax. */
  static Wildcards of(Map<String, String> spelling) {
    return new Wildcards(
        spelling.getOrDefault("level", "*"),
        spelling.getOrDefault("rest", ">"),
        spelling.getOrDefault("separator", SEPARATOR));
  }

  /** Converts a topic or pattern from Sluice's syntax to the provider's. */
  public String toProvider(String topic) {
    if (isIdentity() || !TopicPattern.isPattern(topic) && separator.equals(SEPARATOR)) {
      return topic;
    }
    String[] levels = topic.split("\\.", -1);
    for (int i = 0; i < levels.length; i++) {
      levels[i] = levels[i].equals("*") ? level : levels[i].equals(">") ? rest : levels[i];
    }
    return String.join(separator, levels);
  }

  /**
   * Converts a topic from the provider's syntax to Sluice's. A dot that separates no levels becomes
   * {@code \.}, which no valid topic contains.
   */
  public String fromProvider(String topic) {
    return separator.equals(SEPARATOR)
        ? topic
        : topic.replace(SEPARATOR, "\\.").replace(separator, SEPARATOR);
  }

  private boolean isIdentity() {
    return level.equals("*") && rest.equals(">") && separator.equals(SEPARATOR);
  }
}
