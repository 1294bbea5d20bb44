package io.sluice.gateway.attack;

import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Users of a node with permission rules, which all depend on a claim. Stateless. */
final class Users {
  /** Claim with the roles of a user. */
  static final String CLAIM = "roles";

  /** Regular clients. */
  static final String READER = "reader";

  /** Attackers with few permissions. */
  static final String GUEST = "guest";

  /** Another attacker with the same permissions. */
  static final String OTHER = "other";

  /** Attackers with permission for all names. */
  static final String TRUSTED = "trusted";

  /** Clients whose rule is removed and restored. */
  static final String LEAVER = "leaver";

  /** Observer of the topic whose rule is removed. */
  static final String OBSERVER = "observer";

  /** Client without permissions, whose refusals must be in the audit log. */
  static final String WITNESS = "witness";

  /** Two clients with one name, by a JWT and by an opaque token. */
  static final String TWIN = "twin";

  /** Prefix of opaque tokens that the issuer accepts; the user follows. */
  static final String OPAQUE = "good-";

  static final List<String> ALL =
      List.of(READER, GUEST, OTHER, TRUSTED, LEAVER, OBSERVER, WITNESS, TWIN);

  private static final PermissionRule WITHDRAWN =
      rule(LEAVER, Map.of(Operation.SUBSCRIBE, List.of("withdrawn.*")));

  private static final List<PermissionRule> LASTING =
      List.of(
          rule(READER, Map.of(Operation.SUBSCRIBE, List.of("stocks.*"))),
          guest(GUEST),
          guest(OTHER),
          rule(
              TRUSTED,
              Map.of(
                  Operation.SUBSCRIBE, List.of(">"),
                  Operation.PUBLISH, List.of(">"),
                  Operation.SEND, List.of(">"),
                  Operation.CONSUME, List.of(">"),
                  Operation.BROWSE, List.of(">"))),
          rule(
              OBSERVER,
              Map.of(
                  Operation.SUBSCRIBE, List.of("withdrawn.*"),
                  Operation.PUBLISH, List.of("withdrawn.*"))),
          rule(
              TWIN,
              Map.of(
                  Operation.SUBSCRIBE, List.of("probe.*"),
                  Operation.DURABLE, List.of("probe.*"))));

  private Users() {}

  private static PermissionRule rule(String role, Map<Operation, List<String>> granted) {
    return new PermissionRule(Map.of(CLAIM, role), granted);
  }

  private static PermissionRule guest(String role) {
    return rule(
        role,
        Map.of(
            Operation.SUBSCRIBE, List.of("probe.>", "prices.*"),
            Operation.PUBLISH, List.of("probe.>"),
            Operation.SEND, List.of("box.*"),
            Operation.CONSUME, List.of("box.*"),
            Operation.BROWSE, List.of("box.*"),
            Operation.SHARED, List.of("probe.eu.>")));
  }

  /** Returns the rules, with or without that of {@link #LEAVER}. */
  static List<PermissionRule> rules(boolean withdrawn) {
    return withdrawn ? LASTING : Stream.concat(LASTING.stream(), Stream.of(WITHDRAWN)).toList();
  }
}
