package io.sluice.gateway.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Other nodes with the same topics, which are one source of this node. Immutable.
 *
 * @param source name of the source
 * @param urls their URLs, one of which is connected; empty if they connect to this node
 * @param topics patterns of their topics
 */
public record NodeRoots(String source, List<String> urls, List<String> topics) {
  private static final String NAME = "node";

  /** Returns the roots of each source. */
  public static List<NodeRoots> of(Config config) {
    List<String> topics = config.get(LinkSettings.TOPICS);
    if (config.get(LinkSettings.ACCEPT)) {
      return List.of(new NodeRoots(NAME, List.of(), topics));
    }
    Map<List<String>, List<String>> urls = new LinkedHashMap<>();
    for (String root : config.get(LinkSettings.ROOTS)) {
      List<String> own = topics(root);
      urls.computeIfAbsent(own.isEmpty() ? topics : own, any -> new ArrayList<>()).add(url(root));
    }
    List<NodeRoots> all = new ArrayList<>();
    urls.forEach(
        (patterns, nodes) -> {
          String name = all.isEmpty() ? NAME : NAME + "-" + (all.size() + 1);
          all.add(new NodeRoots(name, List.copyOf(nodes), patterns));
        });
    return all;
  }

  /** Returns whether no other source of the node precedes this one, so that it has queues. */
  public boolean isFirst() {
    return source.equals(NAME);
  }

  /** Returns the URL of an entry of nodes.roots. */
  public static String url(String root) {
    return root.strip().split("\\s+")[0];
  }

  /** Returns the patterns after the URL of an entry of nodes.roots. */
  public static List<String> topics(String root) {
    List<String> words = List.of(root.strip().split("\\s+"));
    return words.subList(1, words.size());
  }
}
