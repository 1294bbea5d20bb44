package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The values of the chart with their comments, in the order of values.yaml. */
final class Values {
  static final Path FILE = Chart.FOLDER.resolve("values.yaml");

  private static final Pattern KEY = Pattern.compile("^( *)([A-Za-z]+):.*");
  private static final Pattern COMMENT = Pattern.compile("^ *# (.*)");

  private Values() {}

  /** A value; the comment is empty if it has none. */
  record Value(String path, String comment) {}

  /** Returns the leaves. A map of the user or of Kubernetes' objects is one leaf. */
  static List<Value> all() {
    Map<String, String> comments = Comments.read(lines());
    List<Value> values = new ArrayList<>();
    collect("", Yaml.read(FILE), comments, values);
    return values;
  }

  private static void collect(
      String path, JsonNode tree, Map<String, String> comments, List<Value> into) {
    for (Map.Entry<String, JsonNode> member : tree.properties()) {
      String at = path + member.getKey();
      JsonNode value = member.getValue();
      boolean section = value.isObject() && !value.isEmpty() && !comments.containsKey(at);
      if (section) {
        collect(at + ".", value, comments, into);
      } else {
        into.add(new Value(at, comments.getOrDefault(at, "")));
      }
    }
  }

  private static List<String> lines() {
    try {
      return Files.readAllLines(FILE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Comments by the path of the key below them. */
  private static final class Comments {
    private final Map<String, String> found = new HashMap<>();
    private final List<String> path = new ArrayList<>();
    private String comment = "";

    static Map<String, String> read(List<String> lines) {
      Comments comments = new Comments();
      lines.forEach(comments::onLine);
      return comments.found;
    }

    private void onLine(String line) {
      Matcher text = COMMENT.matcher(line);
      Matcher key = KEY.matcher(line);
      if (text.matches()) {
        comment = comment.isEmpty() ? text.group(1) : comment + " " + text.group(1);
        return;
      }
      if (key.matches()) {
        onKey(key.group(1).length() / 2, key.group(2));
      }
      comment = "";
    }

    private void onKey(int depth, String name) {
      path.subList(Math.min(depth, path.size()), path.size()).clear();
      path.add(name);
      if (!comment.isEmpty()) {
        found.put(String.join(".", path), comment);
      }
    }
  }
}
