package io.sluice.gateway.auth;

import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.List;
import java.util.Map;

/**
 * A rule of the configuration, ready to be asked. Immutable, for any thread.
 *
 * @param conditions name of a claim to its value; all must hold
 * @param common patterns that are the same for everybody
 * @param ownSubscribe those that depend on a client's claims
 * @param ownPublish likewise
 */
record Rule(
    Map<String, String> conditions,
    Grant common,
    List<TopicTemplate> ownSubscribe,
    List<TopicTemplate> ownPublish) {

  static Rule of(PermissionRule rule) {
    return new Rule(
        rule.conditions(),
        new Grant(common(rule.subscribe()), common(rule.publish())),
        own(rule.subscribe()),
        own(rule.publish()));
  }

  private static List<String> common(List<String> patterns) {
    return patterns.stream().filter(text -> TopicTemplate.of(text).gaps().isEmpty()).toList();
  }

  private static List<TopicTemplate> own(List<String> patterns) {
    return patterns.stream()
        .map(TopicTemplate::of)
        .filter(template -> !template.gaps().isEmpty())
        .toList();
  }

  boolean isFor(Claims claims) {
    for (Map.Entry<String, String> condition : conditions.entrySet()) {
      if (!claims.have(condition.getKey(), condition.getValue())) {
        return false;
      }
    }
    return true;
  }
}
