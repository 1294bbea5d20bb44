package io.sluice.gateway.config;

import io.sluice.gateway.config.Problem.Origin;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads a list of rules from YAML nodes; each problem is told where it stands. A rule that says
 * less than it seems to, such as one whose conditions are missing, is a problem, because it would
 * give away too much. Used once, by one thread.
 */
final class PermissionRuleReader {
  private static final String IF = "if";
  private static final String SUBSCRIBE = "subscribe";
  private static final String PUBLISH = "publish";
  private static final Set<String> KEYS = Set.of(IF, SUBSCRIBE, PUBLISH);

  /** The configured limits may stand further down in the file; they are checked at its end. */
  private static final TopicRules SHAPE = new TopicRules(Integer.MAX_VALUE, Integer.MAX_VALUE);

  /** Reads the parts of nodes and reports their problems. */
  interface Nodes {
    /** Returns a key as text, or null after a problem was reported. */
    String name(String prefix, Node key);

    /** Reports a name that is already known; returns whether it was not. */
    boolean isFirst(Map<String, Origin> known, String name, String key, Node node);

    /** Returns an element as text, or null after a problem was reported. */
    String element(Setting<?> setting, Node node, String name);

    /** Reports a problem of a setting at one of its nodes. */
    void wrong(Setting<?> setting, Node node, String what);

    /** Returns what a node is, as it follows the word "is". */
    String kind(Node node);
  }

  private final Nodes tree;
  private final Setting<?> setting;
  private int told;

  PermissionRuleReader(Nodes tree, Setting<?> setting) {
    this.tree = tree;
    this.setting = setting;
  }

  List<PermissionRule> read(SequenceNode list) {
    List<PermissionRule> rules = new ArrayList<>();
    if (isBounded("", list, list.getValue().size())) {
      for (Node element : list.getValue()) {
        String name = "rule " + (rules.size() + 1);
        rules.add(readRule(name, element));
      }
    }
    return List.copyOf(rules);
  }

  /** A rule with a problem counts as one that grants nothing; the whole list is given up then. */
  private PermissionRule readRule(String name, Node node) {
    Map<String, String> conditions = Map.of();
    List<String> subscribe = List.of();
    List<String> publish = List.of();
    int before = told;
    if (node instanceof MappingNode map) {
      for (Map.Entry<String, Node> entry : entries(name, map).entrySet()) {
        String at = name + ": " + entry.getKey();
        switch (entry.getKey()) {
          case IF -> conditions = readConditions(at, entry.getValue());
          case SUBSCRIBE -> subscribe = readPatterns(at, entry.getValue());
          default -> publish = readPatterns(at, entry.getValue());
        }
      }
      if (told == before && subscribe.isEmpty() && publish.isEmpty()) {
        wrong(node, name + " grants nothing");
      }
    } else {
      wrong(node, name + " is " + tree.kind(node));
    }
    return new PermissionRule(conditions, subscribe, publish);
  }

  private Map<String, Node> entries(String name, MappingNode map) {
    Map<String, Node> entries = new LinkedHashMap<>();
    Map<String, Origin> names = new HashMap<>();
    for (NodeTuple entry : map.getValue()) {
      String key = tree.name(setting.key() + ".", entry.getKeyNode());
      if (key == null || !tree.isFirst(names, key, setting.key(), entry.getKeyNode())) {
        continue;
      }
      if (KEYS.contains(key)) {
        entries.put(key, entry.getValueNode());
      } else {
        String what = ": unknown key " + ValueText.quote(key) + NearestKey.hint(key, KEYS);
        wrong(entry.getKeyNode(), name + what);
      }
    }
    return entries;
  }

  private Map<String, String> readConditions(String at, Node node) {
    if (!(node instanceof MappingNode map) || map.getValue().isEmpty()) {
      wrong(node, at + " holds no condition; without if a rule is for everybody");
      return Map.of();
    }
    Map<String, String> conditions = new HashMap<>();
    Map<String, Origin> names = new HashMap<>();
    if (!isBounded(at + " ", map, map.getValue().size())) {
      return Map.of();
    }
    for (NodeTuple entry : map.getValue()) {
      String claim = tree.name(setting.key() + ".", entry.getKeyNode());
      if (claim != null && tree.isFirst(names, claim, setting.key(), entry.getKeyNode())) {
        String value = tree.element(setting, entry.getValueNode(), at + ": " + claim);
        if (value != null && value.isEmpty()) {
          wrong(entry.getValueNode(), at + ": " + claim + " is empty");
        } else if (value != null) {
          conditions.put(claim, value);
        }
      }
    }
    return conditions;
  }

  private List<String> readPatterns(String at, Node node) {
    List<String> patterns = new ArrayList<>();
    if (!(node instanceof SequenceNode list)) {
      wrong(node, at + " is " + tree.kind(node) + ", not a list of patterns");
    } else if (isBounded(at + " ", list, list.getValue().size())) {
      for (Node element : list.getValue()) {
        String pattern = tree.element(setting, element, at);
        if (pattern == null) {
          told++;
        } else {
          check(at, pattern, element);
          patterns.add(pattern);
        }
      }
    }
    return patterns;
  }

  private void check(String at, String pattern, Node node) {
    TopicRules.Problem problem = TopicTemplate.problem(pattern, SHAPE);
    if (problem != null) {
      wrong(node, at + ": " + problem.message());
    }
  }

  private boolean isBounded(String at, Node node, int size) {
    if (size > setting.maximum()) {
      wrong(node, at + "has " + size + " elements");
    }
    return size <= setting.maximum();
  }

  private void wrong(Node node, String what) {
    told++;
    tree.wrong(setting, node, what);
  }
}
