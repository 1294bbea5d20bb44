package io.sluice.gateway.auth;

import static io.sluice.gateway.auth.TestAccess.principal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TopicSettings;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PermissionsTest {
  private static final Map<String, String> EVERYBODY = Map.of();

  private static PermissionRule subscribe(Map<String, String> conditions, String... patterns) {
    return new PermissionRule(conditions, List.of(patterns), List.of());
  }

  private static Config rules(PermissionRule... rules) {
    return Config.defaults().with(TopicSettings.PERMISSION_RULES, List.of(rules));
  }

  private static Grant grant(Config config, Principal principal) {
    try {
      return Permissions.of(AuthOptions.of(config).permissions()).grant(principal);
    } catch (AuthenticationFailure e) {
      throw new AssertionError(e);
    }
  }

  private static Grant grant(Config config, Map<String, Object> claims) {
    return grant(config, principal("ann", claims));
  }

  @Test
  void shouldGrantEverythingWithoutRulesAndClaim() {
    Grant grant = grant(Config.defaults(), Principal.ANONYMOUS);
    assertThat(grant.maySubscribe(">")).isTrue();
    assertThat(grant.mayPublish("a.b")).isTrue();
  }

  @Test
  void shouldCompressAloneForClientsOfOneRule() {
    PermissionRule alone = new PermissionRule(Map.of("roles", "partner"), Map.of(), true);
    Config config = rules(subscribe(EVERYBODY, "public.>", "orders.{sub}"), alone);
    assertThat(grant(config, Map.of("roles", "partner")).compressesAlone()).isTrue();
    assertThat(grant(config, Map.of("roles", "trader")).compressesAlone()).isFalse();
    assertThat(grant(rules(), Map.of()).compressesAlone()).isFalse();
  }

  /** Claims that each rule kind uses: text, list, number, flag, path, placeholder, patterns. */
  private static final Map<String, Object> USED =
      Map.of(
          "team",
          "fx",
          "roles",
          List.of("trader", "admin"),
          "level",
          7L,
          "vip",
          true,
          "realm",
          Map.of("groups", List.of("g1"), "unused", "x"),
          "scope",
          "read write",
          "desk",
          List.of("d1", "d2"),
          "own",
          Map.of("subscribe", List.of("own.>")));

  private static final Config ALL_KINDS =
      rules(
              subscribe(EVERYBODY, "all.>", "of.{sub}.>"),
              subscribe(Map.of("team", "fx"), "text.>"),
              subscribe(Map.of("roles", "trader", "level", "7"), "list.>"),
              subscribe(Map.of("vip", "true"), "flag.>"),
              subscribe(Map.of("realm.groups", "g1"), "path.>"),
              subscribe(Map.of("scope", "write"), "scope.>"),
              subscribe(Map.of("other", "x"), "never.>"),
              subscribe(EVERYBODY, "desks.{desk}.{level}"))
          .with(TopicSettings.PERMISSION_CLAIM, "own");

  @Test
  void shouldGrantTheSameByRetainedClaims() throws AuthenticationFailure {
    Map<String, Object> claims = new HashMap<>(USED);
    claims.put("picture", "x".repeat(1_000));
    Permissions permissions = Permissions.of(AuthOptions.of(ALL_KINDS).permissions());
    Principal full = principal("ann", claims);

    Principal retained = permissions.retained(full);

    assertThat(permissions.grant(retained)).isEqualTo(permissions.grant(full));
    assertThat(permissions.retained(retained)).isEqualTo(retained);
    assertThat(retained.claims()).containsKeys("team", "realm.groups", "own");
    assertThat(retained.claims()).doesNotContainKeys("picture", "realm", "other", "sub");
    assertThat(permissions.retained(Principal.ANONYMOUS)).isSameAs(Principal.ANONYMOUS);
  }

  @Test
  void shouldRetainTheClaimsOfRemovedRules() throws AuthenticationFailure {
    AuthOptions.PermissionOptions all = AuthOptions.of(ALL_KINDS).permissions();
    Permissions permissions = Permissions.of(all);
    Principal ann = principal("ann", USED);
    Grant granted = permissions.grant(ann);
    permissions.replace(AuthOptions.of(rules(subscribe(Map.of("new", "x"), "a"))).permissions());

    Principal retained = permissions.retained(ann);

    assertThat(permissions.grant(retained)).isEqualTo(permissions.grant(ann));
    permissions.replace(all);
    assertThat(permissions.grant(retained)).isEqualTo(granted);
    Permissions next =
        Permissions.of(
            AuthOptions.of(rules(subscribe(Map.of("team", "a", "age", "3"), "a"))).permissions());
    assertThat(next.claimsNotIn(permissions)).containsExactly("age");
  }

  @Test
  void shouldFillNoPlaceholderWithReservedCharacters() {
    Config config =
        rules(subscribe(EVERYBODY, "orders.{sub}.>"))
            .with(TopicSettings.PERMISSION_CLAIM, "own")
            .with(BrokerSettings.WILDCARDS, Map.of("level", "+", "separator", ":"));
    assertThat(grant(config, principal("ann", Map.of())).maySubscribe("orders.ann.new")).isTrue();
    for (String name : List.of("+", "a+", "a:b")) {
      Map<String, Object> listed =
          Map.of("own", Map.of("subscribe", List.of("listed." + name, "listed.x")));
      Grant grant = grant(config, principal(name, listed));
      assertThat(grant.maySubscribe("orders." + name + ".new")).as(name).isFalse();
      assertThat(grant.maySubscribe("listed." + name)).as(name).isFalse();
      assertThat(grant.maySubscribe("listed.x")).as(name).isTrue();
    }
  }

  @Test
  void shouldGrantNothingThatNoRuleNames() {
    Grant grant = grant(rules(subscribe(EVERYBODY, "public.>")), Principal.ANONYMOUS);
    assertThat(grant.maySubscribe("public.a")).isTrue();
    assertThat(grant.maySubscribe("private.a")).isFalse();
    assertThat(grant.mayPublish("public.a")).isFalse();
  }

  @Test
  void shouldGrantNothingIfOnlyAClaimIsConfiguredAndTheClientHasNone() {
    Config config = Config.defaults().with(TopicSettings.PERMISSION_CLAIM, "sluice");
    Grant grant = grant(config, Map.of());
    assertThat(grant.maySubscribe("a")).isFalse();
    assertThat(grant.mayPublish("a")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "a.>, a.b, true",
    "a.>, a.b.c, true",
    "a.>, a.*, true",
    "a.>, a.*.>, true",
    "a.>, a.>, true",
    "a.>, a, false",
    "a.>, >, false",
    "a.>, *.b, false",
    "a.>, *, false",
    "a.>, ab.c, false",
    "a.*, a.b, true",
    "a.*, a.*, true",
    "a.*, a.>, false",
    "a.*, a.b.c, false",
    "a.*, *.*, false",
    "*, *, true",
    "*, >, false",
    "*.*, >, false",
    "*.>, >, false",
    "*.>, *, false",
    "*.>, a.>, true",
    "*.b, a.b, true",
    "*.b, *.b, true",
    "*.b, a.*, false",
    "a.*.c, a.*.c, true",
    "a.*.c, a.>, false",
    "a, A, false",
    ">, >, true",
    ">, *.*.*, true",
  })
  void shouldGrantAPatternOnlyIfAllOfItIsGranted(String granted, String wanted, boolean may) {
    Grant grant = grant(rules(subscribe(EVERYBODY, granted)), Map.of());
    assertThat(grant.maySubscribe(wanted)).isEqualTo(may);
  }

  @Test
  void shouldCombineTheGrantsOfAllMatchingRules() {
    Config config =
        rules(
            subscribe(EVERYBODY, "public.>"),
            subscribe(Map.of("roles", "trader"), "prices.>"),
            new PermissionRule(Map.of("roles", "desk"), List.of(), List.of("orders.new")));
    Grant grant = grant(config, Map.of("roles", List.of("trader", "desk")));
    assertThat(grant.maySubscribe("public.a")).isTrue();
    assertThat(grant.maySubscribe("prices.a")).isTrue();
    assertThat(grant.maySubscribe("orders.new")).isFalse();
    assertThat(grant.mayPublish("orders.new")).isTrue();
  }

  @Test
  void shouldApplyARuleOnlyIfAllConditionsMatch() {
    Config config = rules(subscribe(Map.of("role", "trader", "desk", "*"), "a"));
    assertThat(grant(config, Map.of("role", "trader", "desk", 7)).maySubscribe("a")).isTrue();
    assertThat(grant(config, Map.of("role", "trader")).maySubscribe("a")).isFalse();
    assertThat(grant(config, Map.of("desk", 7)).maySubscribe("a")).isFalse();
    assertThat(grant(config, Map.of("role", "trade", "desk", 7)).maySubscribe("a")).isFalse();
  }

  @Test
  void shouldCompareValuesOfEveryKindAndElementsOfLists() {
    Config config =
        rules(subscribe(Map.of("c", "1"), "one"), subscribe(Map.of("c", "true"), "yes"));
    for (Object one : List.of("1", 1, 1L, BigInteger.ONE, List.of("0", 1L))) {
      assertThat(grant(config, Map.of("c", one)).maySubscribe("one")).as("%s", one).isTrue();
    }
    for (Object other : List.of("11", 1.0, List.of(), List.of(List.of("1")), Map.of("1", "1"))) {
      assertThat(grant(config, Map.of("c", other)).maySubscribe("one")).as("%s", other).isFalse();
    }
    assertThat(grant(config, Map.of("c", true)).maySubscribe("yes")).isTrue();
    assertThat(grant(config, Map.of("c", false)).maySubscribe("yes")).isFalse();
  }

  @Test
  void shouldNotMatchAnyWithAnEmptyValue() {
    Config config = rules(subscribe(Map.of("c", "*"), "a"));
    for (Object any : List.of("x", 0, false, List.of(1), Map.of("k", "v"))) {
      assertThat(grant(config, Map.of("c", any)).maySubscribe("a")).as("%s", any).isTrue();
    }
    for (Object none : List.of("", List.of(), List.of(""), Arrays.asList((Object) null))) {
      assertThat(grant(config, Map.of("c", none)).maySubscribe("a")).as("%s", none).isFalse();
    }
    assertThat(grant(config, Map.of("d", "x")).maySubscribe("a")).isFalse();
  }

  @Test
  void shouldFindNestedClaimsAndNamesWithDots() {
    Config config =
        rules(
            subscribe(Map.of("realm_access.roles", "trader"), "inner"),
            subscribe(Map.of("https://example.com/tenant", "t1"), "named"),
            subscribe(Map.of("a.b.c", "x"), "mixed"));
    Grant grant =
        grant(
            config,
            Map.of(
                "realm_access", Map.of("roles", List.of("trader")),
                "https://example.com/tenant", "t1",
                "a.b", Map.of("c", "x")));
    assertThat(grant.maySubscribe("inner")).isTrue();
    assertThat(grant.maySubscribe("named")).isTrue();
    assertThat(grant.maySubscribe("mixed")).isTrue();
    assertThat(grant(config, Map.of("realm_access", "roles")).maySubscribe("inner")).isFalse();
  }

  @Test
  void shouldSplitTheScopeIntoWords() {
    Config config = rules(subscribe(Map.of("scope", "prices"), "a"));
    assertThat(grant(config, Map.of("scope", "openid prices")).maySubscribe("a")).isTrue();
    assertThat(grant(config, Map.of("scope", "openid prices:none")).maySubscribe("a")).isFalse();
  }

  @Test
  void shouldFillClaimsIntoPatterns() {
    Config config =
        rules(
            new PermissionRule(
                EVERYBODY, List.of("orders.{sub}.>", "desk-{desk.no}"), List.of("to.{sub}")));
    Grant grant = grant(config, Map.of("desk", Map.of("no", 7L), "sub", "bob"));
    assertThat(grant.maySubscribe("orders.ann.new")).isTrue();
    assertThat(grant.maySubscribe("orders.bob.new")).isFalse();
    assertThat(grant.maySubscribe("orders.*.new")).isFalse();
    assertThat(grant.maySubscribe("orders.>")).isFalse();
    assertThat(grant.maySubscribe("desk-7")).isTrue();
    assertThat(grant.maySubscribe("desk-8")).isFalse();
    assertThat(grant.mayPublish("to.ann")).isTrue();
    assertThat(grant.mayPublish("to.bob")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", ">", "a.b", "a.>", ".", "", " ", "a b", "#", "/", "a*", "\ud83d"})
  void shouldGrantNothingByAnInvalidLevel(String value) {
    Config config =
        rules(subscribe(EVERYBODY, "{c}", "of.{c}", "of.{c}.>", "user-{c}", "{c}-user.>"));
    assertThat(grant(config, Map.of("c", value)).size()).isZero();
  }

  @Test
  void shouldGrantNothingByValuesOfOtherTypes() {
    Config config = rules(subscribe(EVERYBODY, "of.{c}"));
    for (Object value : List.of(true, 1.5, Map.of("a", "b"), List.of(), List.of(List.of("a")))) {
      assertThat(grant(config, Map.of("c", value)).size()).as("%s", value).isZero();
    }
  }

  @Test
  void shouldGrantAnonymousClientsNothingByPlaceholders() {
    Config config = rules(subscribe(EVERYBODY, "public", "user-{sub}", "{sub}", "{other}.>"));
    assertThat(grant(config, Principal.ANONYMOUS).size()).isEqualTo(1);
  }

  @Test
  void shouldKeepAnonymousClientsOutOfRulesForAnySubject() {
    Config config = rules(subscribe(Map.of("sub", "*"), "known"));
    assertThat(grant(config, Principal.ANONYMOUS).maySubscribe("known")).isFalse();
    assertThat(grant(config, Map.of()).maySubscribe("known")).isTrue();
  }

  @Test
  void shouldGrantAPatternForEachElementOfAList() {
    Config config = rules(subscribe(EVERYBODY, "rooms.{rooms}.>", "pair.{rooms}.{kinds}"));
    Grant grant = grant(config, Map.of("rooms", List.of("r1", "*", 2), "kinds", List.of("x", "y")));
    assertThat(grant.patterns(Operation.SUBSCRIBE))
        .containsExactlyInAnyOrder(
            "rooms.r1.>", "rooms.2.>", "pair.r1.x", "pair.r1.y", "pair.2.x", "pair.2.y");
  }

  @Test
  void shouldUseOneValueOfAClaimWithinAPattern() {
    Config config = rules(subscribe(EVERYBODY, "{teams}.of-{teams}"));
    assertThat(grant(config, Map.of("teams", List.of("a", "b"))).patterns(Operation.SUBSCRIBE))
        .containsExactlyInAnyOrder("a.of-a", "b.of-b");
  }

  @Test
  void shouldGrantNothingBeyondTheLimitsOfTopics() {
    Config config = rules(subscribe(EVERYBODY, "a.{c}"));
    String longest = "x".repeat(253);
    assertThat(grant(config, Map.of("c", longest)).patterns(Operation.SUBSCRIBE))
        .containsExactly("a." + longest);
    assertThat(grant(config, Map.of("c", longest + "x")).size()).isZero();
  }

  @Test
  void shouldAddThePatternsOfTheConfiguredClaim() {
    Config config =
        rules(subscribe(EVERYBODY, "public.>")).with(TopicSettings.PERMISSION_CLAIM, "ext.sluice");
    Map<String, Object> own =
        Map.of("subscribe", List.of("mine.>", "{sub}"), "publish", List.of("out"));
    Grant grant = grant(config, Map.of("ext", Map.of("sluice", own)));
    assertThat(grant.maySubscribe("public.a")).isTrue();
    assertThat(grant.maySubscribe("mine.*")).isTrue();
    assertThat(grant.maySubscribe("ann")).isFalse();
    assertThat(grant.mayPublish("out")).isTrue();
    assertThat(grant.mayPublish("mine.a")).isFalse();
  }

  @Test
  void shouldGrantQueuesByRulesAndClaims() {
    PermissionRule rule =
        new PermissionRule(
            EVERYBODY,
            Map.of(
                Operation.SEND,
                List.of("orders", "to.{sub}"),
                Operation.CONSUME,
                List.of("inbox.{sub}"),
                Operation.BROWSE,
                List.of("orders")));
    Config config = rules(rule).with(TopicSettings.PERMISSION_CLAIM, "p");
    Map<String, Object> claim =
        Map.of("send", List.of("extra"), "consume", List.of("own.>"), "browse", List.of("own.>"));
    Grant grant = grant(config, Map.of("p", claim));
    assertThat(List.of("orders", "to.ann", "extra")).allMatch(grant::maySend);
    assertThat(List.of("to.bob", "inbox.ann", "own.a")).noneMatch(grant::maySend);
    assertThat(List.of("inbox.ann", "own.a")).allMatch(grant::mayConsume);
    assertThat(List.of("orders", "inbox.bob", "own")).noneMatch(grant::mayConsume);
    assertThat(List.of("orders", "own.a")).allMatch(grant::mayBrowse);
    assertThat(List.of("to.ann", "inbox.ann")).noneMatch(grant::mayBrowse);
    assertThat(List.of("orders", "to.ann", "own.a")).noneMatch(grant::mayPublish);
  }

  @Test
  void shouldNotGrantQueuesByTopics() {
    Grant grant = grant(rules(new PermissionRule(EVERYBODY, List.of(">"), List.of(">"))), Map.of());
    assertThat(grant.maySend("a") || grant.mayConsume("a") || grant.mayBrowse("a")).isFalse();
  }

  @Test
  void shouldGrantDurableAndSharedSubscriptionsByRulesAndClaims() {
    PermissionRule rule =
        new PermissionRule(
            EVERYBODY,
            Map.of(
                Operation.DURABLE,
                List.of("orders.{sub}.>", "news"),
                Operation.SHARED,
                List.of("jobs.*")));
    Config config = rules(rule).with(TopicSettings.PERMISSION_CLAIM, "p");
    Grant grant = grant(config, Map.of("p", Map.of("durable", List.of("own.>"))));
    assertThat(List.of("orders.ann.1", "orders.ann.>", "news", "own.a.*"))
        .allMatch(grant::mayHaveDurable)
        .noneMatch(grant::mayShare)
        .noneMatch(grant::maySubscribe);
    assertThat(List.of("orders.bob.1", "orders.*.1", "orders.>", ">", "jobs.a"))
        .noneMatch(grant::mayHaveDurable);
    assertThat(List.of("jobs.a", "jobs.*")).allMatch(grant::mayShare);
    assertThat(List.of("jobs.>", "jobs", ">")).noneMatch(grant::mayShare);
  }

  @Test
  void shouldNotGrantDurableAndSharedSubscriptionsBySubscribe() {
    Grant grant = grant(rules(new PermissionRule(EVERYBODY, List.of(">"), List.of(">"))), Map.of());
    assertThat(grant.mayHaveDurable("a") || grant.mayShare("a")).isFalse();
  }

  @Test
  void shouldDiscardMalformedPatternsOfTheClaim() {
    Config config = Config.defaults().with(TopicSettings.PERMISSION_CLAIM, "p");
    List<Object> patterns =
        Arrays.asList("ok.>", "a..b", "a.>.b", "a*", "", 7, null, List.of("x"), "x y");
    assertThat(
            grant(config, Map.of("p", Map.of("subscribe", patterns))).patterns(Operation.SUBSCRIBE))
        .containsExactly("ok.>");
    for (Object wrong : List.of("a.>", List.of("a.>"), 5, Map.of("subscribe", "a.>"), Map.of())) {
      assertThat(grant(config, Map.of("p", wrong)).size()).as("%s", wrong).isZero();
    }
  }

  private static List<String> numbers(int count) {
    return IntStream.range(0, count).mapToObj(String::valueOf).toList();
  }

  @Test
  void shouldRefuseAClientWithMorePatternsThanAllowed() {
    Config config =
        rules(subscribe(EVERYBODY, "public", "of.{c}")).with(TopicSettings.PERMISSION_CLAIM, "p");
    List<String> many = numbers(998);
    Map<String, Object> most = Map.of("c", many, "p", Map.of("publish", List.of("x")));
    assertThat(grant(config, most).size()).isEqualTo(1000);
    for (Map<String, Object> more :
        List.<Map<String, Object>>of(
            Map.of("c", numbers(1000)),
            Map.of("p", Map.of("publish", numbers(1000))),
            Map.of("c", many, "p", Map.of("publish", List.of("x", "y"))))) {
      assertThatThrownBy(
              () ->
                  Permissions.of(AuthOptions.of(config).permissions())
                      .grant(principal("ann", more)))
          .isInstanceOf(AuthenticationFailure.class)
          .hasMessageContaining("more than 1000 patterns");
    }
  }

  @Test
  void shouldRefuseAllClientsIfTheRulesExceedTheLimit() {
    Config config = rules(subscribe(EVERYBODY, numbers(1001).toArray(String[]::new)));
    assertThatThrownBy(
            () -> Permissions.of(AuthOptions.of(config).permissions()).grant(Principal.ANONYMOUS))
        .isInstanceOf(AuthenticationFailure.class);
  }

  @Test
  void shouldStopAtTheLimitOfCombinations() {
    List<Integer> many = IntStream.range(0, 10_000).boxed().toList();
    Config config = rules(subscribe(EVERYBODY, "{a}.{b}.{c}.{d}." + "x".repeat(247)));
    Map<String, Object> claims = Map.of("a", many, "b", many, "c", many, "d", many);
    assertThatThrownBy(
            () ->
                Permissions.of(AuthOptions.of(config).permissions())
                    .grant(principal("ann", claims)))
        .isInstanceOf(AuthenticationFailure.class);
  }

  @Test
  void shouldShareTheGrantOfClientsWithTheSameRules() throws AuthenticationFailure {
    Permissions permissions =
        Permissions.of(
            AuthOptions.of(
                    rules(
                        subscribe(EVERYBODY, "public.>"),
                        subscribe(Map.of("role", "trader"), "prices.>", "orders.{desk}")))
                .permissions());
    Grant one = permissions.grant(principal("one", Map.of("role", "none")));
    Grant other = permissions.grant(principal("other", Map.of()));
    assertThat(one).isSameAs(other).isSameAs(permissions.grant(Principal.ANONYMOUS));
    Grant first = permissions.grant(principal("one", Map.of("role", "trader", "desk", 1)));
    Grant second = permissions.grant(principal("two", Map.of("role", "trader", "desk", 2)));
    assertThat(first.common()).isSameAs(second.common()).isNotSameAs(one);
    assertThat(first.patterns(Operation.SUBSCRIBE)).containsExactly("orders.1");
  }

  @Test
  @Timeout(180)
  void shouldNotEnumerateCombinationsIfAClaimIsMissing() {
    List<String> many = IntStream.range(0, 2_000).mapToObj(i -> "v" + i).toList();
    Grant grant =
        grant(
            rules(subscribe(EVERYBODY, "{a}.{b}.{c}.{missing}")),
            Map.of("a", many, "b", many, "c", many));
    assertThat(grant.maySubscribe("v1.v1.v1.v1")).isFalse();
  }
}
