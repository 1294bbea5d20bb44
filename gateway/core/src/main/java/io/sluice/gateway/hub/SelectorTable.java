package io.sluice.gateway.hub;

import io.sluice.gateway.broker.selector.InvalidSelector;
import io.sluice.gateway.broker.selector.Selector;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Selectors of the open interests, and their limits. Each expression is compiled once, also if
 * several topics use it. Bound to the control thread.
 */
final class SelectorTable {
  private final HubLimits limits;
  private final Predicate<String> atSource;
  private final Map<String, Integer> byTopic = new HashMap<>();
  private final Map<String, Use> uses = new HashMap<>();

  /** Compiled selector with the number of interests that use it. */
  private static final class Use {
    private final Selector selector;
    private int interests;

    Use(Selector selector) {
      this.selector = selector;
    }
  }

  /** Reports that an interest is refused, such as for a selector more than a limit allows. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Setting<?> limit;

    private final ErrorCode code;

    Refused(Setting<?> limit, ErrorCode code, String reason) {
      super(reason, null, false, false); // carries a value, not a bug: no stack trace
      this.limit = limit;
      this.code = code;
    }

    /** Returns the limit that is reached, or null. */
    Setting<?> limit() {
      return limit;
    }

    ErrorCode code() {
      return code;
    }
  }

  /**
   * Creates an empty table.
   *
   * @param atSource whether the source of a topic evaluates all selectors
   */
  SelectorTable(HubLimits limits, Predicate<String> atSource) {
    this.limits = limits;
    this.atSource = atSource;
  }

  /** Returns the refusal of a selector by a source without fields. */
  static Refused unsupported() {
    String reason = "messages of this source have no fields that a selector can test";
    return new Refused(null, ErrorCode.UNSUPPORTED, reason);
  }

  /** Returns whether the broker evaluates the selector of an interest. */
  boolean isAtBroker(InterestKey key) {
    return key.hasSelector()
        && (TopicPattern.anyCovers(limits.brokerSelectors(), key.topic())
            || atSource.test(key.topic()));
  }

  /**
   * Adds the selector of an interest.
   *
   * @return the compiled selector; null if there is none, or if the broker evaluates it
   * @throws Refused if it is invalid, or the topic has as many as allowed
   */
  Selector add(InterestKey key) throws Refused {
    if (!key.hasSelector()) {
      return null;
    }
    boolean atBroker = isAtBroker(key);
    Setting<Integer> limit =
        atBroker ? LimitSettings.BROKER_SELECTORS : LimitSettings.TOPIC_SELECTORS;
    int max = atBroker ? limits.selectorsAtBroker() : limits.topicSelectors();
    int count = byTopic.getOrDefault(key.topic(), 0);
    if (count >= max) {
      String reason = "the topic has %d different selectors at this node; %s is %d";
      throw new Refused(
          limit, ErrorCode.TOO_MANY_TOPICS, reason.formatted(count, limit.key(), max));
    }
    Selector compiled = atBroker ? null : use(key.selector());
    byTopic.merge(key.topic(), 1, Integer::sum);
    return compiled;
  }

  private Selector use(String text) throws Refused {
    Use use = uses.get(text);
    if (use == null) {
      try {
        use = new Use(Selector.compile(text));
      } catch (InvalidSelector e) {
        throw new Refused(null, ErrorCode.INVALID_SELECTOR, e.getMessage());
      }
      uses.put(text, use);
    }
    use.interests++;
    return use.selector;
  }

  /** Removes the selector of an interest that was added. */
  void remove(InterestKey key) {
    if (!key.hasSelector()) {
      return;
    }
    byTopic.computeIfPresent(key.topic(), (topic, count) -> count == 1 ? null : count - 1);
    if (!isAtBroker(key)) {
      uses.computeIfPresent(key.selector(), (text, use) -> --use.interests == 0 ? null : use);
    }
  }
}
