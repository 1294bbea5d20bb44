package io.sluice.gateway.auth;

import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Collector of the patterns of topics and queues that a principal's claims grant. A claim's value
 * never expands to more than one topic level. Values that form no valid pattern are discarded.
 * Confined to one thread.
 */
final class PrincipalPatterns {
  private final Claims claims;
  private final TopicRules topicRules;
  private final Map<Operation, Set<String>> patterns = new EnumMap<>(Operation.class);
  private int room;
  private int discarded;

  /**
   * @param room largest number of patterns
   */
  PrincipalPatterns(Claims claims, TopicRules topicRules, int room) {
    this.claims = claims;
    this.topicRules = topicRules;
    this.room = room;
  }

  /** Adds the templates of a rule that applies to the client. */
  void add(Map<Operation, List<TopicTemplate>> templates) {
    templates.forEach(
        (operation, list) -> list.forEach(template -> fill(template, patterns(operation))));
  }

  private Set<String> patterns(Operation operation) {
    return patterns.computeIfAbsent(operation, each -> new LinkedHashSet<>());
  }

  private void fill(TopicTemplate template, Set<String> into) {
    Map<String, List<String>> levels = new LinkedHashMap<>();
    template.placeholders().forEach(gap -> levels.computeIfAbsent(gap, this::levels));
    boolean complete = levels.values().stream().noneMatch(List::isEmpty);
    if (complete) { // otherwise no combination could be filled
      fill(template, List.copyOf(levels.keySet()), levels, new HashMap<>(), into);
    }
  }

  // One pattern for each combination of values; a name has the same value at all its places.
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
      if (isOverLimit()) {
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
    discarded += texts.size() - levels.size();
    return levels;
  }

  private boolean isLevel(String text) {
    return text.indexOf('.') < 0 && topicRules.checkTopic(text) == null;
  }

  /** Adds the patterns that a claim lists. */
  void addListed(String claim) {
    Object listed = claims.find(claim);
    if (listed instanceof Map<?, ?> map) {
      Operation.ALL.forEach(each -> accept(map.get(each.key()), patterns(each)));
    } else if (listed != null) {
      discarded++;
    }
  }

  private void accept(Object patterns, Set<String> into) {
    if (patterns instanceof List<?> list) {
      for (Object each : list) {
        if (isOverLimit()) {
          return;
        }
        if (each instanceof String pattern) {
          accept(pattern, into);
        } else {
          discarded++;
        }
      }
    } else if (patterns != null) {
      discarded++;
    }
  }

  private void accept(String pattern, Set<String> into) {
    room--;
    if (topicRules.checkPattern(pattern) == null) {
      into.add(pattern);
    } else {
      discarded++;
    }
  }

  /** Returns whether there are more patterns than allowed; then they are incomplete. */
  boolean isOverLimit() {
    return room < 0;
  }

  /** Returns the number of discarded values and patterns. */
  int discarded() {
    return discarded;
  }

  /** Returns a grant of these patterns and of a shared one. */
  Grant grant(Grant common) {
    Map<Operation, List<String>> granted = new EnumMap<>(Operation.class);
    patterns.forEach(
        (operation, set) -> {
          if (!set.isEmpty()) {
            granted.put(operation, List.copyOf(set));
          }
        });
    return granted.isEmpty() ? common : new Grant(granted, common);
  }
}
