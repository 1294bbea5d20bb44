package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks tokens, each in the way that its form calls for. For any thread. */
final class TokenAuthenticator implements Authenticator {
  private static final Logger log = LoggerFactory.getLogger(TokenAuthenticator.class);

  /** Every JWT begins so: it is the base64url of a header's opening brace and quote. */
  private static final String JWT_BEGIN = "eyJ";

  private final long mostBytes;
  private final CheckThreads threads;
  private final TokenCheck jwts;
  private final TokenCheck others;
  private final IssuerClient issuer;

  /**
   * @param jwts null if JWTs are like all others; one of the two is there
   * @param others null if there are none but JWTs
   * @param issuer null if nobody is asked; closed with this
   */
  private TokenAuthenticator(
      Config config,
      CheckThreads threads,
      TokenCheck jwts,
      TokenCheck others,
      IssuerClient issuer) {
    this.mostBytes = config.get(AuthSettings.TOKEN_BYTES);
    this.threads = threads;
    this.jwts = jwts;
    this.others = others;
    this.issuer = issuer;
  }

  /**
   * Gets ready as configured.
   *
   * @param threads where tokens are checked
   * @return empty if the node takes no tokens
   */
  static Optional<TokenAuthenticator> open(Config config, CheckThreads threads)
      throws UnusableAuth {
    boolean files = !config.get(AuthSettings.JWT_KEYS).isEmpty();
    boolean fetched =
        config.get(AuthSettings.JWT_DISCOVERY) || !config.get(AuthSettings.JWT_JWKS_URL).isEmpty();
    boolean asked = !config.get(AuthSettings.INTROSPECTION_URL).isEmpty();
    if (!files && !fetched && !asked) {
      return Optional.empty();
    }
    if (config.get(AuthSettings.JWT_AUDIENCE).isEmpty()) {
      log.atWarn().log("auth.any-audience");
    }
    IssuerClient issuer = fetched || asked ? IssuerClient.open(config) : null;
    KeySource keys = null;
    try {
      if (files) {
        keys = KeyFiles.open(config);
      } else if (fetched) {
        keys = FetchedKeys.open(config, issuer);
      }
    } catch (UnusableAuth | RuntimeException e) {
      if (issuer != null) {
        issuer.close();
      }
      throw e;
    }
    TokenCheck jwts = keys == null ? null : new JwtCheck(config, keys, threads.executor());
    TokenCheck others = asked ? new Introspection(config, issuer) : null;
    return Optional.of(new TokenAuthenticator(config, threads, jwts, others, issuer));
  }

  @Override
  public CompletionStage<Principal> authenticate(Credential credential) {
    String token = ((Credential.Token) credential).value();
    if (token.isEmpty()) {
      return Refusals.of(Reason.MALFORMED, "the token is empty, or not encoded as it should be");
    }
    if (token.length() > mostBytes) {
      return Refusals.of(Reason.MALFORMED, "the token is longer than " + mostBytes + " bytes");
    }
    TokenCheck by = jwts != null && (others == null || isJwt(token)) ? jwts : others;
    return threads.check(() -> by.check(token));
  }

  private static boolean isJwt(String token) {
    return token.startsWith(JWT_BEGIN) && token.chars().filter(c -> c == '.').count() == 2;
  }

  @Override
  public long failures() {
    return issuer == null ? 0 : issuer.failures();
  }

  @Override
  public void close() {
    for (TokenCheck each : new TokenCheck[] {jwts, others}) {
      if (each != null) {
        each.close();
      }
    }
    if (issuer != null) {
      issuer.close();
    }
  }
}
