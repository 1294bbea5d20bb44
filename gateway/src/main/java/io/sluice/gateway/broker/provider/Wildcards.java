package io.sluice.gateway.broker.provider;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.Map;

/**
 * How a provider spells topic names. Immutable, for any thread.
 *
 * @param level stands for one level
 * @param rest stands for all further levels; a provider may let it match none, too
 * @param separator between levels
 */
public record Wildcards(String level, String rest, String separator) {
  private static final String OUR_SEPARATOR = ".";

  /** From the keys level, rest and separator; ours stand in for those that are absent. */
  static Wildcards of(Map<String, String> spelling) {
    return new Wildcards(
        spelling.getOrDefault("level", "*"),
        spelling.getOrDefault("rest", ">"),
        spelling.getOrDefault("separator", OUR_SEPARATOR));
  }

  /** A topic or pattern of ours as the provider writes it. */
  public String toProvider(String topic) {
    if (isOurs() || !TopicPattern.isPattern(topic) && separator.equals(OUR_SEPARATOR)) {
      return topic;
    }
    String[] levels = topic.split("\\.");
    for (int i = 0; i < levels.length; i++) {
      levels[i] = levels[i].equals("*") ? level : levels[i].equals(">") ? rest : levels[i];
    }
    return String.join(separator, levels);
  }

  /** A topic of the provider as we write it. */
  public String fromProvider(String topic) {
    return separator.equals(OUR_SEPARATOR) ? topic : topic.replace(separator, OUR_SEPARATOR);
  }

  private boolean isOurs() {
    return level.equals("*") && rest.equals(">") && separator.equals(OUR_SEPARATOR);
  }
}
