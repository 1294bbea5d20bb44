package io.sluice.gateway.config;

import java.util.List;
import java.util.Map;

/**
 * Permissions of the clients whose claims match. Immutable, for any thread.
 *
 * @param conditions required value, or {@link #ANY}, by claim; all must match; empty: all clients
 * @param subscribe patterns that may be subscribed to; a claim's name in braces is replaced by the
 *     claim's value
 * @param publish patterns that may be published to, with the same replacement
 */
public record PermissionRule(
    Map<String, String> conditions, List<String> subscribe, List<String> publish) {
  /** Condition that any value of a claim fulfils. */
  public static final String ANY = "*";

  public PermissionRule {
    conditions = Map.copyOf(conditions);
    subscribe = List.copyOf(subscribe);
    publish = List.copyOf(publish);
  }
}
