package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthOptions.PermissionOptions;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node's rules: who may do what. Immutable but for what it remembers; for any thread. */
public final class Permissions {
  private static final Logger log = LoggerFactory.getLogger(Permissions.class);

  /** There are as many kinds of clients as combinations of rules; few of them come. */
  private static final int MOST_REMEMBERED = 1_000;

  private final List<Rule> rules;
  private final String claim;
  private final TopicRules topicRules;
  private final int mostPatterns;

  /** The patterns that clients have in common for whom the same rules hold. */
  private final Map<BitSet, Grant> common = new ConcurrentHashMap<>();

  private Permissions(PermissionOptions options) {
    rules = options.rules().stream().map(Rule::of).toList();
    claim = options.claim();
    mostPatterns = options.mostPatterns();
    topicRules = options.topicRules();
  }

  /** Those of a configuration that was checked. */
  public static Permissions of(PermissionOptions options) {
    return new Permissions(options);
  }

  /**
   * What a client may do, by the rules and by its claims.
   *
   * @throws AuthenticationFailure if that is more than the node keeps for one client
   */
  public Grant grant(Principal principal) throws AuthenticationFailure {
    if (rules.isEmpty() && claim.isEmpty()) {
      return Grant.EVERYTHING;
    }
    Claims claims = new Claims(principal);
    BitSet holding = holding(claims);
    Grant shared = common(holding);
    OwnPatterns own = new OwnPatterns(claims, topicRules, mostPatterns - shared.size());
    holding.stream()
        .mapToObj(rules::get)
        .forEach(rule -> own.add(rule.ownSubscribe(), rule.ownPublish()));
    if (!claim.isEmpty()) {
      own.addListed(claim);
    }
    if (own.leftOut() > 0) {
      log.atDebug()
          .addKeyValue("count", own.leftOut())
          .log("parts of a client's claims make no pattern");
    }
    if (own.isTooMuch()) {
      throw new AuthenticationFailure(
          Reason.REFUSED,
          "the rules and the claims of this client come to more than " + mostPatterns + " patterns",
          principal);
    }
    return own.grant(shared);
  }

  private BitSet holding(Claims claims) {
    BitSet holding = new BitSet(rules.size());
    for (int i = 0; i < rules.size(); i++) {
      holding.set(i, rules.get(i).isFor(claims));
    }
    return holding;
  }

  private Grant common(BitSet holding) {
    Grant known = common.get(holding);
    if (known != null) {
      return known;
    }
    Set<String> subscribe = new LinkedHashSet<>();
    Set<String> publish = new LinkedHashSet<>();
    holding.stream()
        .mapToObj(i -> rules.get(i).common())
        .forEach(
            patterns -> {
              subscribe.addAll(patterns.subscribe());
              publish.addAll(patterns.publish());
            });
    Grant made = new Grant(new ArrayList<>(subscribe), new ArrayList<>(publish));
    if (common.size() < MOST_REMEMBERED) {
      common.put(holding, made);
    }
    return made;
  }

  /**
   * A rule of the configuration, ready to be asked. Immutable, for any thread.
   *
   * @param conditions name of a claim to its value; all must hold
   * @param common patterns that are the same for everybody
   * @param ownSubscribe those that depend on a client's claims
   * @param ownPublish likewise
   */
  private record Rule(
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
}
