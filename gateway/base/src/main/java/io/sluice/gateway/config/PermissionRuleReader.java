package io.sluice.gateway.config;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.Problem.Origin;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reader of permission rules from YAML nodes. Used once, by one thread. Each problem is reported
 * with its position in the file. A rule with an empty or malformed part, such as missing
 * conditions, is a problem: ignoring the part would grant too much.
 */
final class PermissionRuleReader {
  private static final String IF = "if";
  private static final String COMPRESS = "compress";
  private static final String ALONE = "alone";
  private static final Map<String, Operation> OPERATIONS =
      Operation.ALL.stream().collect(toMap(Operation::key, each -> each));
  private static final Set<String> KEYS =
      Stream.concat(Stream.of(IF, COMPRESS), OPERATIONS.keySet().stream())
          .collect(toUnmodifiableSet());

  /** No limits: the configured ones may follow later in the file and are checked at its end. */
  private static final TopicRules SHAPE = new TopicRules(Integer.MAX_VALUE, Integer.MAX_VALUE);

  private final ConfigTree tree;
  private final Setting<?> setting;
  private int problems;

  PermissionRuleReader(ConfigTree tree, Setting<?> setting) {
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

  /** Returns a rule; one with a problem grants nothing, and the whole list is then discarded. */
  private PermissionRule readRule(String name, Node node) {
    Map<String, String> conditions = Map.of();
    Map<Operation, List<String>> patterns = new EnumMap<>(Operation.class);
    boolean alone = false;
    int before = problems;
    if (node instanceof MappingNode map) {
      for (Map.Entry<String, Node> entry : entries(name, map).entrySet()) {
        String path = name + ": " + entry.getKey();
        if (entry.getKey().equals(IF)) {
          conditions = readConditions(path, entry.getValue());
        } else if (entry.getKey().equals(COMPRESS)) {
          alone = readCompress(path, entry.getValue());
        } else {
          patterns.put(OPERATIONS.get(entry.getKey()), readPatterns(path, entry.getValue()));
        }
      }
      if (problems == before && !alone && patterns.values().stream().allMatch(List::isEmpty)) {
        reject(node, name + " grants nothing");
      }
    } else {
      reject(node, name + " is " + tree.kind(node));
    }
    return new PermissionRule(conditions, patterns, alone);
  }

  private boolean readCompress(String path, Node node) {
    String value = tree.element(setting, node, path);
    if (value == null) {
      problems++;
    } else if (!value.equals(ALONE)) {
      reject(node, path + " is " + ValueText.quote(value) + ", not " + ALONE);
    }
    return ALONE.equals(value);
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
        String problem = ": unknown key " + ValueText.quote(key) + NearestKey.hint(key, KEYS);
        reject(entry.getKeyNode(), name + problem);
      }
    }
    return entries;
  }

  private Map<String, String> readConditions(String path, Node node) {
    if (!(node instanceof MappingNode map) || map.getValue().isEmpty()) {
      reject(node, path + " contains no condition; a rule without if applies to all clients");
      return Map.of();
    }
    Map<String, String> conditions = new HashMap<>();
    Map<String, Origin> names = new HashMap<>();
    if (!isBounded(path + " ", map, map.getValue().size())) {
      return Map.of();
    }
    for (NodeTuple entry : map.getValue()) {
      String claim = tree.name(setting.key() + ".", entry.getKeyNode());
      if (claim != null && tree.isFirst(names, claim, setting.key(), entry.getKeyNode())) {
        String value = tree.element(setting, entry.getValueNode(), path + ": " + claim);
        if (value != null && value.isEmpty()) {
          reject(entry.getValueNode(), path + ": " + claim + " is empty");
        } else if (value != null) {
          conditions.put(claim, value);
        }
      }
    }
    return conditions;
  }

  private List<String> readPatterns(String path, Node node) {
    List<String> patterns = new ArrayList<>();
    if (!(node instanceof SequenceNode list)) {
      reject(node, path + " is " + tree.kind(node) + ", not a list of patterns");
    } else if (isBounded(path + " ", list, list.getValue().size())) {
      for (Node element : list.getValue()) {
        String pattern = tree.element(setting, element, path);
        if (pattern == null) {
          problems++;
        } else {
          check(path, pattern, element);
          patterns.add(pattern);
        }
      }
    }
    return patterns;
  }

  private void check(String path, String pattern, Node node) {
    TopicRules.Problem problem = TopicTemplate.problem(pattern, SHAPE);
    if (problem != null) {
      reject(node, path + ": " + problem.message());
    }
  }

  private boolean isBounded(String path, Node node, int size) {
    if (size > setting.maximum()) {
      reject(node, path + "has " + size + " elements");
    }
    return size <= setting.maximum();
  }

  private void reject(Node node, String problem) {
    problems++;
    tree.reject(setting, node, problem);
  }
}
