package io.sluice.gateway.config;

import java.util.List;
import java.util.Map;

/**
 * What clients of a kind may do. Immutable, for any thread.
 *
 * @param conditions name of a claim to its value, or to {@link #ANY}; all must hold, none means
 *     everybody
 * @param subscribe patterns, in which a claim's name in braces stands for its value
 * @param publish likewise
 */
public record PermissionRule(
    Map<String, String> conditions, List<String> subscribe, List<String> publish) {
  /** Stands for every value that a claim may have. */
  public static final String ANY = "*";

  public PermissionRule {
    conditions = Map.copyOf(conditions);
    subscribe = List.copyOf(subscribe);
    publish = List.copyOf(publish);
  }
}
