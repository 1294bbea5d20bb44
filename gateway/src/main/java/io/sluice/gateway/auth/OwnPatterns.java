package io.sluice.gateway.auth;

import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Collects the patterns that a client's claims give it. What a claim holds never becomes more than
 * one level, and what makes no pattern gives nothing. Confined to one thread.
 */
final class OwnPatterns {
  private final Claims claims;
  private final TopicRules topicRules;
  private final Set<String> subscribe = new LinkedHashSet<>();
  private final Set<String> publish = new LinkedHashSet<>();
  private int room;
  private int leftOut;

  /**
   * @param room how many patterns there may be
   */
  OwnPatterns(Claims claims, TopicRules topicRules, int room) {
    this.claims = claims;
    this.topicRules = topicRules;
    this.room = room;
  }

  /** Adds those of a rule that holds for the client. */
  void add(List<TopicTemplate> ownSubscribe, List<TopicTemplate> ownPublish) {
    ownSubscribe.forEach(template -> fill(template, subscribe));
    ownPublish.forEach(template -> fill(template, publish));
  }

  private void fill(TopicTemplate template, Set<String> into) {
    Map<String, List<String>> levels = new LinkedHashMap<>();
    template.gaps().forEach(gap -> levels.computeIfAbsent(gap, this::levels));
    boolean complete = levels.values().stream().noneMatch(List::isEmpty);
    if (complete) { // or else it would go through all choices of the others in vain
      fill(template, List.copyOf(levels.keySet()), levels, new HashMap<>(), into);
    }
  }

  // One pattern for each choice of values; the same name has the same value everywhere.
  private void fill(
      TopicTemplate template,
      List<String> names,
      Map<String, List<String>> levels,
      Map<String, String> chosen,
      Set<String> into) {
    if (chosen.size() == names.size()) {
      accept(template.fill(chosen::get), into);
      return;
    }
    String name = names.get(chosen.size());
    for (String level : levels.get(name)) {
      if (isTooMuch()) {
        return;
      }
      chosen.put(name, level);
      fill(template, names, levels, chosen, into);
      chosen.remove(name);
    }
  }

  private List<String> levels(String claim) {
    List<String> texts = claims.texts(claim);
    List<String> levels = texts.stream().filter(this::isLevel).toList();
    leftOut += texts.size() - levels.size();
    return levels;
  }

  private boolean isLevel(String text) {
    return text.indexOf('.') < 0 && topicRules.checkTopic(text) == null;
  }

  /** Adds the patterns that a claim lists itself. */
  void addListed(String claim) {
    Object listed = claims.find(claim);
    if (listed instanceof Map<?, ?> map) {
      accept(map.get("subscribe"), subscribe);
      accept(map.get("publish"), publish);
    } else if (listed != null) {
      leftOut++;
    }
  }

  private void accept(Object patterns, Set<String> into) {
    if (patterns instanceof List<?> list) {
      for (Object each : list) {
        if (isTooMuch()) {
          return;
        }
        if (each instanceof String pattern) {
          accept(pattern, into);
        } else {
          leftOut++;
        }
      }
    } else if (patterns != null) {
      leftOut++;
    }
  }

  private void accept(String pattern, Set<String> into) {
    room--;
    if (topicRules.checkPattern(pattern) == null) {
      into.add(pattern);
    } else {
      leftOut++;
    }
  }

  /** Whether there are more than may be; then they are not complete. */
  boolean isTooMuch() {
    return room < 0;
  }

  /** How many values and patterns were of no use. */
  int leftOut() {
    return leftOut;
  }

  /** These patterns, and what the client has in common with others. */
  Grant grant(Grant common) {
    return subscribe.isEmpty() && publish.isEmpty()
        ? common
        : new Grant(List.copyOf(subscribe), List.copyOf(publish), common);
  }
}
