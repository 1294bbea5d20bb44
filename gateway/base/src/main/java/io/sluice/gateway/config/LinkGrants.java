package io.sluice.gateway.config;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Names that leaves may use at this node: the entries of {@code links.subscribe} or {@code
 * links.publish}. An entry is a pattern of topics, or one of another kind behind its prefix, such
 * as {@code queue:orders.>}. Immutable, for any thread.
 */
public final class LinkGrants {
  private final Map<Kind, List<String>> patterns = new EnumMap<>(Kind.class);

  /** Kinds of entries. */
  public enum Kind {
    /** Queues to consume, browse or send to. */
    QUEUE("queue:"),
    /** Topics with durable subscriptions of clients. */
    DURABLE("durable:"),
    /** Topics with shared subscriptions. */
    SHARED("shared:"),
    /** Topics whose members nodes see or report. */
    PRESENCE("presence:"),
    /** Topics without subscriptions of these kinds; last, because its prefix is empty. */
    TOPIC("");

    private final String prefix;

    Kind(String prefix) {
      this.prefix = prefix;
    }

    /** Returns the kind of an entry. */
    public static Kind of(String entry) {
      return Arrays.stream(values())
          .filter(each -> entry.startsWith(each.prefix))
          .findFirst()
          .orElseThrow();
    }

    /** Returns a suggestion for a misspelt prefix of an entry; empty if no prefix is near. */
    public static String hint(String entry) {
      String begin = entry.substring(0, entry.indexOf(':') + 1);
      List<String> prefixes = List.of(QUEUE.prefix, DURABLE.prefix, SHARED.prefix, PRESENCE.prefix);
      return begin.contains(".") ? "" : NearestKey.hint(begin, prefixes);
    }

    /** Returns the pattern of an entry of this kind. */
    public String pattern(String entry) {
      return entry.substring(prefix.length());
    }
  }

  private final DeadLetterQueues deadLetters;

  /** Creates the grants of a setting. */
  public static LinkGrants of(Config config, Setting<List<String>> setting) {
    return new LinkGrants(config.get(setting), DeadLetterQueues.of(config));
  }

  /**
   * Creates the grants of a list of entries.
   *
   * @param deadLetters queues that only entries without wildcards permit
   */
  public LinkGrants(List<String> entries, DeadLetterQueues deadLetters) {
    this.deadLetters = deadLetters;
    for (Kind kind : Kind.values()) {
      patterns.put(
          kind, entries.stream().filter(each -> Kind.of(each) == kind).map(kind::pattern).toList());
    }
  }

  /** Returns whether an entry is of a queue or a client's subscription. */
  public boolean haveQueues() {
    return patterns.entrySet().stream()
        .anyMatch(
            each ->
                each.getKey() != Kind.TOPIC
                    && each.getKey() != Kind.PRESENCE
                    && !each.getValue().isEmpty());
  }

  /** Returns whether an entry is of presence. */
  public boolean havePresence() {
    return !patterns.get(Kind.PRESENCE).isEmpty();
  }

  /** Returns whether leaves may use a valid name or pattern. */
  public boolean permit(Kind kind, String name) {
    List<String> permitted = patterns.get(kind);
    return kind == Kind.QUEUE
        ? deadLetters.permit(permitted, name)
        : TopicPattern.anyCovers(permitted, name);
  }
}
