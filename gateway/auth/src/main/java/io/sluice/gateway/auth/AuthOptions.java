package io.sluice.gateway.auth;

import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.revocation.RevocationOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Options of authentication, permissions and revocations. Immutable, for any thread.
 *
 * @param anonymous whether clients without a credential are admitted
 * @param timeout of the check of one credential
 * @param threads that check tokens and tickets
 * @param queue largest number of checks that run or wait
 * @param certificateName source of the client's name in its certificate; null without certificates
 */
public record AuthOptions(
    boolean anonymous,
    Duration timeout,
    int threads,
    int queue,
    String certificateName,
    JwtOptions jwt,
    IntrospectionOptions introspection,
    IssuerOptions issuer,
    KerberosOptions kerberos,
    PermissionOptions permissions,
    RevocationOptions revocations) {
  private static final int THREADS = 2;

  /** Maximum number of running and waiting checks; further clients are closed with 4002. */
  private static final int QUEUE = 10_000;

  /** Returns the options of a configuration; values may be invalid. */
  public static AuthOptions of(Config config) {
    return of(config, THREADS, QUEUE);
  }

  static AuthOptions of(Config config, int threads, int queue) {
    return new AuthOptions(
        config.get(AuthSettings.ANONYMOUS),
        config.get(AuthSettings.TIMEOUT),
        threads,
        queue,
        config.get(ServerSettings.TLS_CLIENT_AUTH).equals("none")
            ? null
            : config.get(AuthSettings.CERTIFICATE_NAME),
        JwtOptions.of(config),
        IntrospectionOptions.of(config),
        IssuerOptions.of(config),
        KerberosOptions.of(config),
        PermissionOptions.of(config),
        RevocationOptions.of(config));
  }

  /**
   * Returns the options for tokens of operators, which their own issuer signs. Keys are located by
   * discovery; no other credential is accepted. The settings of requests to issuers and of
   * signatures are those of clients.
   */
  public static AuthOptions ofOperators(Config config) {
    List<String> audience = new ArrayList<>(config.get(AdminSettings.OIDC_AUDIENCE));
    audience.add(config.get(AdminSettings.OIDC_CLIENT_ID));
    return of(
        config
            .with(AuthSettings.ANONYMOUS, false)
            .with(AuthSettings.JWT_KEYS, List.of())
            .with(AuthSettings.JWT_JWKS_URL, "")
            .with(AuthSettings.INTROSPECTION_URL, "")
            .with(AuthSettings.KERBEROS_KEYTAB, "")
            .with(ServerSettings.TLS_CLIENT_AUTH, "none")
            .with(AuthSettings.JWT_ISSUER, config.get(AdminSettings.OIDC_ISSUER))
            .with(AuthSettings.JWT_AUDIENCE, List.copyOf(audience))
            .with(AuthSettings.JWT_SUBJECT_CLAIM, config.get(AdminSettings.OIDC_SUBJECT_CLAIM))
            .with(AuthSettings.JWT_REQUIRE_EXPIRY, true),
        1,
        // Each connection has one request at a time, so no valid token is rejected as surplus.
        config.get(LimitSettings.ADMIN_CONNECTIONS));
  }

  private static ClaimRules claimRules(
      Config config, Mechanism mechanism, boolean complete, boolean expiryRequired) {
    return new ClaimRules(
        mechanism,
        config.get(AuthSettings.JWT_ISSUER),
        config.get(AuthSettings.JWT_AUDIENCE),
        config.get(AuthSettings.JWT_SUBJECT_CLAIM),
        complete,
        expiryRequired);
  }

  /**
   * Options of JWTs and of their keys.
   *
   * @param files of keys, polled; empty if keys are fetched
   * @param jwksUrl of the issuer; may be empty
   * @param discovered whether the JWKS is located by discovery at the issuer of the claims
   */
  record JwtOptions(
      List<String> files,
      Duration poll,
      String jwksUrl,
      boolean discovered,
      Duration refresh,
      Duration refreshMin,
      Set<String> algorithms,
      ClaimRules claims) {
    static JwtOptions of(Config config) {
      return new JwtOptions(
          config.get(AuthSettings.JWT_KEYS),
          config.get(AuthSettings.JWT_KEYS_POLL),
          config.get(AuthSettings.JWT_JWKS_URL),
          AuthSettings.discoversKeys(config),
          config.get(AuthSettings.JWT_REFRESH),
          config.get(AuthSettings.JWT_REFRESH_MIN),
          Set.copyOf(config.get(AuthSettings.JWT_ALGORITHMS)),
          claimRules(config, Mechanism.JWT, true, config.get(AuthSettings.JWT_REQUIRE_EXPIRY)));
    }

    /** Returns whether an issuer publishes the keys. */
    boolean fetched() {
      return files.isEmpty() && (discovered || !jwksUrl.isEmpty());
    }
  }

  /**
   * Options of token introspection.
   *
   * @param url empty if tokens are not introspected
   * @param claims may be incomplete, because the issuer has verified the token
   */
  record IntrospectionOptions(
      String url,
      String clientId,
      String clientSecret,
      Duration cache,
      Duration cacheRefused,
      int maxInFlight,
      ClaimRules claims) {
    static IntrospectionOptions of(Config config) {
      return new IntrospectionOptions(
          config.get(AuthSettings.INTROSPECTION_URL),
          config.get(AuthSettings.INTROSPECTION_CLIENT_ID),
          config.get(AuthSettings.INTROSPECTION_CLIENT_SECRET),
          config.get(AuthSettings.INTROSPECTION_CACHE),
          config.get(AuthSettings.INTROSPECTION_CACHE_REFUSED),
          config.get(AuthSettings.INTROSPECTION_IN_FLIGHT),
          claimRules(config, Mechanism.INTROSPECTION, false, false));
    }

    /** Returns a text without the secret. */
    @Override
    public String toString() {
      return "IntrospectionOptions[" + clientId + "]";
    }
  }

  /**
   * Options of requests to an issuer.
   *
   * @param timeout of one request, which leaves time within that of the check
   * @param trust file of further authorities; may be empty
   */
  record IssuerOptions(Duration timeout, String trust, boolean plainHttp) {
    static IssuerOptions of(Config config) {
      return new IssuerOptions(
          config.get(AuthSettings.TIMEOUT).multipliedBy(4).dividedBy(5),
          config.get(AuthSettings.TRUST),
          config.get(AuthSettings.ALLOW_PLAIN_HTTP));
    }
  }

  /**
   * Options of Kerberos tickets.
   *
   * @param keytab file; empty if no tickets are accepted
   * @param session longest session by a ticket
   */
  record KerberosOptions(
      String keytab,
      List<String> principals,
      Set<String> realms,
      String localRealm,
      boolean lowerCase,
      Duration session) {
    static KerberosOptions of(Config config) {
      return new KerberosOptions(
          config.get(AuthSettings.KERBEROS_KEYTAB),
          config.get(AuthSettings.KERBEROS_PRINCIPAL),
          realms(config),
          config.get(AuthSettings.KERBEROS_LOCAL_REALM),
          config.get(AuthSettings.KERBEROS_LOWER_CASE),
          config.get(AuthSettings.KERBEROS_SESSION));
    }

    private static Set<String> realms(Config config) {
      List<String> named = config.get(AuthSettings.KERBEROS_REALMS);
      return named.isEmpty()
          ? config.get(AuthSettings.KERBEROS_PRINCIPAL).stream()
              .map(name -> name.substring(name.lastIndexOf('@') + 1))
              .collect(Collectors.toUnmodifiableSet())
          : Set.copyOf(named);
    }
  }

  /**
   * Options of permissions.
   *
   * @param claim that holds a client's patterns; may be empty
   */
  record PermissionOptions(List<PermissionRule> rules, String claim, TopicRules topicRules) {
    static PermissionOptions of(Config config) {
      return new PermissionOptions(
          config.get(TopicSettings.PERMISSION_RULES),
          config.get(TopicSettings.PERMISSION_CLAIM),
          TopicSettings.topicRules(config));
    }
  }
}
