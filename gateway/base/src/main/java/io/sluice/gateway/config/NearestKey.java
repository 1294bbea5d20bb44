package io.sluice.gateway.config;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Suggestions for unknown keys, by edit distance. Stateless, for any thread. */
public final class NearestKey {
  private static final int MAX_SUGGESTIONS = 4;

  private NearestKey() {}

  /** Returns "; did you mean …?" with the nearest full keys; empty if no key is near. */
  public static String hint(String unknown, Collection<String> keys) {
    List<String> near = near(unknown, keys);
    return near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
  }

  /**
   * Returns the key with the least edit distance, at most a third of its length. Otherwise returns
   * the keys with the same last part.
   */
  private static List<String> near(String unknown, Collection<String> keys) {
    String best = null;
    int bestDistance = Integer.MAX_VALUE;
    for (String key : new TreeSet<>(keys)) {
      int distance = distance(unknown, key);
      if (distance < bestDistance && distance <= Math.max(1, key.length() / 3)) {
        bestDistance = distance;
        best = key;
      }
    }
    return best != null ? List.of(best) : sameEnding(unknown, keys);
  }

  private static List<String> sameEnding(String unknown, Collection<String> keys) {
    String last = lastPart(unknown);
    List<String> found = keys.stream().filter(key -> lastPart(key).equals(last)).sorted().toList();
    return found.size() <= MAX_SUGGESTIONS ? found : List.of();
  }

  private static String lastPart(String key) {
    return key.substring(key.lastIndexOf('.') + 1);
  }

  /** Returns the edit distance; a swap of two letters counts as one edit. */
  static int distance(String a, String b) {
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        cost[i][j] = cheapest(a, b, cost, i, j);
      }
    }
    return cost[a.length()][b.length()];
  }

  private static int cheapest(String a, String b, int[][] cost, int i, int j) {
    if (i == 0 || j == 0) {
      return i + j;
    }
    int replaced = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
    int least = Math.min(replaced, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
    boolean swapped =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
  }
}
