package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthOptions.PermissionOptions;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.TopicTemplate;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Permission rules of the node, which a reload replaces. For any thread. */
public final class Permissions {
  private static final Logger log = LoggerFactory.getLogger(Permissions.class);

  /** Largest number of cached grants, one for each combination of rules; few combinations occur. */
  private static final int MAX_CACHED = 1_000;

  private volatile Table table;

  /** Claims that rules have used since the start. A restored rule finds them in every session. */
  private volatile Set<String> claims;

  private Permissions(Table table) {
    this.table = table;
    this.claims = table.claims;
  }

  /** Returns the permissions of a validated configuration. */
  public static Permissions of(PermissionOptions options) {
    return new Permissions(new Table(options));
  }

  /** Replaces the rules, one call at a time. Grants that were made before remain valid. */
  void replace(PermissionOptions options) {
    Table next = new Table(options);
    claims = union(claims, next.claims);
    table = next;
  }

  private static Set<String> union(Set<String> some, Set<String> more) {
    Set<String> union = new LinkedHashSet<>(some);
    union.addAll(more);
    return Set.copyOf(union);
  }

  /**
   * Returns a principal with the claims that rules use, which a later {@link #grant} needs. Others
   * may be large.
   */
  public Principal retained(Principal principal) {
    if (principal.claims().isEmpty()) {
      return principal;
    }
    Claims all = new Claims(principal);
    Map<String, Object> kept = new HashMap<>();
    for (String name : claims) {
      Object value = all.find(name);
      if (value != null) {
        kept.put(name, value);
      }
    }
    return principal.withClaims(kept);
  }

  /** Returns the claims of rules that sessions of other rules have not retained. */
  public Set<String> claimsNotIn(Permissions others) {
    Set<String> missing = new TreeSet<>(table.claims);
    missing.removeAll(others.claims);
    return missing;
  }

  /**
   * Returns the grant of a client, by the rules and by its claims.
   *
   * @throws AuthenticationFailure if it has more patterns than one client may have
   */
  public Grant grant(Principal principal) throws AuthenticationFailure {
    return table.grant(principal);
  }

  /** Maximum number of patterns that rules and claims grant to one client. */
  private static final int MAX_PATTERNS = 1000;

  /** Compiled rules of one configuration, with a cache of grants that clients share. */
  private static final class Table {
    private final List<Rule> rules;
    private final String claim;
    private final TopicRules topicRules;

    /** Names of the claims that decide, except for the subject. */
    private final Set<String> claims;

    /** Grants without client-specific patterns, by the indices of the rules that apply. */
    private final Map<BitSet, Grant> common = new ConcurrentHashMap<>();

    Table(PermissionOptions options) {
      rules = options.rules().stream().map(Rule::of).toList();
      claim = options.claim();
      topicRules = options.topicRules();
      claims = claims(options);
    }

    private static Set<String> claims(PermissionOptions options) {
      Set<String> names = new LinkedHashSet<>();
      names.add(options.claim());
      for (PermissionRule rule : options.rules()) {
        names.addAll(rule.conditions().keySet());
        rule.patterns().values().stream()
            .flatMap(List::stream)
            .forEach(text -> names.addAll(TopicTemplate.of(text).placeholders()));
      }
      names.removeAll(List.of("", Claims.SUBJECT));
      return Set.copyOf(names);
    }

    /**
     * Returns the grant of a client, by the rules and by its claims.
     *
     * @throws AuthenticationFailure if it has more patterns than one client may have
     */
    Grant grant(Principal principal) throws AuthenticationFailure {
      if (rules.isEmpty() && claim.isEmpty()) {
        return Grant.EVERYTHING;
      }
      Claims claims = new Claims(principal);
      BitSet matching = matchingRules(claims);
      Grant shared = common(matching);
      PrincipalPatterns own =
          new PrincipalPatterns(claims, topicRules, MAX_PATTERNS - shared.size());
      matching.stream().mapToObj(rules::get).forEach(rule -> own.add(rule.templates()));
      if (!claim.isEmpty()) {
        own.addListed(claim);
      }
      if (own.discarded() > 0) {
        log.atDebug()
            .addKeyValue("count", own.discarded())
            .log("parts of a client's claims form no valid pattern");
      }
      if (own.isOverLimit()) {
        throw new AuthenticationFailure(
            Reason.REFUSED,
            "the rules and claims grant this client more than " + MAX_PATTERNS + " patterns",
            principal);
      }
      return own.grant(shared);
    }

    private BitSet matchingRules(Claims claims) {
      BitSet matching = new BitSet(rules.size());
      for (int i = 0; i < rules.size(); i++) {
        matching.set(i, rules.get(i).appliesTo(claims));
      }
      return matching;
    }

    private Grant common(BitSet matching) {
      Grant cached = common.get(matching);
      if (cached != null) {
        return cached;
      }
      Map<Operation, List<String>> patterns = new EnumMap<>(Operation.class);
      for (Operation operation : Operation.ALL) {
        Set<String> union = new LinkedHashSet<>();
        matching.stream()
            .mapToObj(i -> rules.get(i).common().getOrDefault(operation, List.of()))
            .forEach(union::addAll);
        if (!union.isEmpty()) {
          patterns.put(operation, List.copyOf(union));
        }
      }
      boolean alone = matching.stream().anyMatch(i -> rules.get(i).compressAlone());
      Grant made = new Grant(patterns, null, alone);
      if (common.size() < MAX_CACHED) {
        common.put(matching, made);
      }
      return made;
    }
  }

  /**
   * Compiled permission rule. Immutable, for any thread.
   *
   * @param conditions required values by the name of the claim; all must match
   * @param common patterns that do not depend on the client, by operation
   * @param templates templates that a client's claims fill in, by operation
   * @param compressAlone whether messages are compressed without reference to others
   */
  private record Rule(
      Map<String, String> conditions,
      Map<Operation, List<String>> common,
      Map<Operation, List<TopicTemplate>> templates,
      boolean compressAlone) {

    static Rule of(PermissionRule rule) {
      Map<Operation, List<String>> common = new EnumMap<>(Operation.class);
      Map<Operation, List<TopicTemplate>> templates = new EnumMap<>(Operation.class);
      rule.patterns()
          .forEach(
              (operation, patterns) -> {
                common.put(operation, common(patterns));
                templates.put(operation, templates(patterns));
              });
      return new Rule(rule.conditions(), common, templates, rule.compressAlone());
    }

    private static List<String> common(List<String> patterns) {
      return patterns.stream()
          .filter(text -> TopicTemplate.of(text).placeholders().isEmpty())
          .toList();
    }

    private static List<TopicTemplate> templates(List<String> patterns) {
      return patterns.stream()
          .map(TopicTemplate::of)
          .filter(template -> !template.placeholders().isEmpty())
          .toList();
    }

    boolean appliesTo(Claims claims) {
      for (Map.Entry<String, String> condition : conditions.entrySet()) {
        if (!claims.hasValue(condition.getKey(), condition.getValue())) {
          return false;
        }
      }
      return true;
    }
  }
}
