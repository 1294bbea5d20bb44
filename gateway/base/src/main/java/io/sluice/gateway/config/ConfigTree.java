package io.sluice.gateway.config;

import io.sluice.gateway.config.Problem.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reader of settings from a tree of YAML nodes. Confined to one thread. It visits only the paths of
 * settings, so that aliases, even circular ones, cannot delay it.
 */
final class ConfigTree {
  private static final String STANDARD_TAGS = "tag:yaml.org,2002:";

  private final String file;
  private final ConfigDraft draft;
  private final UnaryOperator<String> environment;
  private final Map<String, Setting<?>> settings = new HashMap<>();
  private final Set<String> sections = new TreeSet<>();
  private final Map<String, Origin> seen = new HashMap<>();

  ConfigTree(String file, ConfigDraft draft, UnaryOperator<String> environment) {
    this.file = file;
    this.draft = draft;
    this.environment = environment;
    for (Setting<?> setting : Settings.all()) {
      settings.put(setting.key(), setting);
      String key = setting.key();
      for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
        sections.add(key.substring(0, dot));
      }
    }
  }

  void read(Node root) {
    if (root instanceof MappingNode mapping) {
      readSection("", mapping);
    } else if (!isNull(root)) {
      report(root, "", "contains " + kind(root), "keys and values");
    }
  }

  private void readSection(String prefix, MappingNode mapping) {
    Map<String, Origin> names = new HashMap<>();
    for (NodeTuple entry : mapping.getValue()) {
      String name = name(prefix, entry.getKeyNode());
      if (name != null && isFirst(names, name, prefix + name, entry.getKeyNode())) {
        readEntry(prefix + name, entry.getKeyNode(), entry.getValueNode());
      }
    }
  }

  /** Returns a key as text, or null after a problem was reported. */
  String name(String prefix, Node key) {
    if (key instanceof ScalarNode scalar && !isNull(key)) {
      return scalar.getValue();
    }
    String section = prefix.isEmpty() ? "" : prefix.substring(0, prefix.length() - 1);
    report(key, section, "a key is " + kind(key), "a name");
    return null;
  }

  private void readEntry(String key, Node keyNode, Node value) {
    Setting<?> setting = settings.get(key);
    if (setting != null) {
      if (isFirst(seen, key, key, keyNode)) {
        readSetting(setting, value);
      }
    } else if (!sections.contains(key)) {
      boolean section = value instanceof MappingNode;
      Set<String> candidates = section ? sections : settings.keySet();
      report(keyNode, key, unknown(section) + NearestKey.hint(key, candidates), "");
    } else if (value instanceof MappingNode mapping) {
      readSection(key + ".", mapping);
    } else if (!isNull(value)) {
      report(value, key, "is a section, but its value is " + kind(value), "keys and values");
    }
  }

  private static String unknown(boolean section) {
    return section ? "unknown section" : "unknown key";
  }

  /** Returns whether a name is new; reports a duplicate. */
  boolean isFirst(Map<String, Origin> previous, String name, String key, Node node) {
    Origin first = previous.putIfAbsent(name, origin(node));
    if (first != null) {
      report(node, key, "is already set at line " + first.line(), "");
    }
    return first == null;
  }

  private void readSetting(Setting<?> setting, Node value) {
    if (isNull(value)) {
      reject(setting, value, "has no value");
    } else if (!isKnown(value.getTag())) {
      reject(setting, value, "has an unknown YAML tag; quote values that begin with !");
    } else if (setting.type() == Setting.Type.LIST && value instanceof SequenceNode list) {
      readList(setting, list);
    } else if (setting.type() == Setting.Type.MAP && value instanceof MappingNode map) {
      readMap(setting, map);
    } else if (setting.type() == Setting.Type.RULES && value instanceof SequenceNode list) {
      List<PermissionRule> rules = new PermissionRuleReader(this, setting).read(list);
      acceptBounded(setting, rules.size(), rules, list);
    } else if (value instanceof ScalarNode scalar) {
      draft.accept(setting, readScalar(setting, scalar), origin(value));
    } else {
      reject(setting, value, "is " + kind(value));
    }
  }

  private ValueText.Reading readScalar(Setting<?> setting, ScalarNode scalar) {
    ValueText.Reading text = ValueText.substitute(scalar.getValue(), environment);
    return text instanceof ValueText.Reading.Value complete
        ? ValueText.read(setting, (String) complete.value())
        : text;
  }

  private void readList(Setting<?> setting, SequenceNode list) {
    List<String> texts = new ArrayList<>();
    for (Node element : list.getValue()) {
      String text = element(setting, element, "element " + (texts.size() + 1));
      if (text == null) {
        return;
      }
      texts.add(text);
    }
    acceptBounded(setting, texts.size(), List.copyOf(texts), list);
  }

  private void readMap(Setting<?> setting, MappingNode map) {
    Map<String, String> texts = new LinkedHashMap<>();
    Map<String, Origin> names = new HashMap<>();
    for (NodeTuple entry : map.getValue()) {
      String name = name(setting.key() + ".", entry.getKeyNode());
      if (name == null || !isFirst(names, name, setting.key() + "." + name, entry.getKeyNode())) {
        continue;
      }
      String text = element(setting, entry.getValueNode(), name);
      if (text == null) {
        return;
      }
      texts.put(name, text);
      draft.acceptEntry(setting, name, origin(entry.getValueNode()));
    }
    acceptBounded(setting, texts.size(), Map.copyOf(texts), map);
  }

  /** Returns an element as text, or null after a problem was reported. */
  String element(Setting<?> setting, Node node, String name) {
    if (isNull(node)) {
      boolean word = node instanceof ScalarNode scalar && scalar.getValue().equals("null");
      reject(setting, node, name + (word ? " is null, not a text: quote it" : " has no value"));
    } else if (!(node instanceof ScalarNode scalar)) {
      reject(setting, node, name + " is " + kind(node));
    } else {
      return substituted(setting, scalar, name);
    }
    return null;
  }

  private String substituted(Setting<?> setting, ScalarNode scalar, String name) {
    ValueText.Reading reading = ValueText.substitute(scalar.getValue(), environment);
    if (reading instanceof ValueText.Reading.Wrong wrong) {
      reject(setting, scalar, name + " " + wrong.what());
      return null;
    }
    String text = (String) ((ValueText.Reading.Value) reading).value();
    ValueText.lengthProblem(text)
        .ifPresent(problem -> reject(setting, scalar, name + " " + problem));
    return text;
  }

  private void acceptBounded(Setting<?> setting, int size, Object value, Node node) {
    if (size > setting.maximum()) {
      reject(setting, node, "has " + size + " elements");
    } else if (draft.isValid(setting)) {
      draft.accept(setting, new ValueText.Reading.Value(value), origin(node));
    }
  }

  /** Reports a problem of a setting at one of its nodes. */
  void reject(Setting<?> setting, Node node, String problem) {
    draft.accept(setting, new ValueText.Reading.Wrong(problem), origin(node));
  }

  private void report(Node node, String key, String what, String expected) {
    draft.report(new Problem(origin(node), key, what, expected));
  }

  private Origin origin(Node node) {
    return node.getStartMark()
        .map(at -> new Origin(file, at.getLine() + 1, at.getColumn() + 1))
        .orElse(Origin.of(file));
  }

  /** Returns whether a tag is standard, or that of a text such as {@code ${NAME}}. */
  private static boolean isKnown(Tag tag) {
    return tag.equals(Tag.ENV_TAG) || tag.getValue().startsWith(STANDARD_TAGS);
  }

  private static boolean isNull(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  /** Returns the kind of a node, worded to follow "is". */
  String kind(Node node) {
    return switch (node.getNodeType()) {
      case MAPPING -> "a map";
      case SEQUENCE -> "a list";
      case SCALAR -> isNull(node) ? "empty" : "a single value";
      default -> "an anchor";
    };
  }
}
