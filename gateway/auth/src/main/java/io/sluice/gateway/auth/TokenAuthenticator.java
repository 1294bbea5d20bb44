package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authenticator of tokens: verifies JWTs and introspects opaque tokens. For any thread. */
final class TokenAuthenticator implements Authenticator {
  private static final Logger log = LoggerFactory.getLogger(TokenAuthenticator.class);

  /** Start of every JWT: base64url of the opening brace and quote of its header. */
  private static final String JWT_BEGIN = "eyJ";

  /** Maximum size of a token or ticket. */
  static final int MAX_BYTES = 64 * 1024;

  private final AuthExecutor threads;
  private final JwtVerifier jwts;
  private final Introspection others;
  private final IssuerClient issuer;
  private final FetchedKeys fetched;

  /**
   * @param jwts null if all tokens are introspected; one of the two is present
   * @param others null if only JWTs are accepted
   * @param issuer null if the issuer is never contacted; closed with this object
   * @param fetched keys of the issuer; null if they are not fetched
   */
  private TokenAuthenticator(
      AuthExecutor threads,
      JwtVerifier jwts,
      Introspection others,
      IssuerClient issuer,
      FetchedKeys fetched) {
    this.threads = threads;
    this.jwts = jwts;
    this.others = others;
    this.issuer = issuer;
    this.fetched = fetched;
  }

  /**
   * Opens the configured sources of keys.
   *
   * @param threads run the checks
   * @return empty if tokens are not accepted
   */
  static Optional<TokenAuthenticator> open(AuthOptions options, AuthExecutor threads)
      throws UnusableAuth {
    boolean files = !options.jwt().files().isEmpty();
    boolean fetches = options.jwt().fetched();
    boolean introspects = !options.introspection().url().isEmpty();
    if (!files && !fetches && !introspects) {
      return Optional.empty();
    }
    if (options.jwt().claims().audience().isEmpty()) {
      log.atWarn().log("auth.any-audience");
    }
    IssuerClient issuer = fetches || introspects ? IssuerClient.open(options.issuer()) : null;
    KeyRing.Source keys = null;
    FetchedKeys fetched = null;
    try {
      if (files) {
        keys = KeyFiles.open(options.jwt());
      } else if (fetches) {
        fetched = FetchedKeys.open(options.jwt(), options.issuer().plainHttp(), issuer);
        keys = fetched;
      }
    } catch (UnusableAuth | RuntimeException e) {
      if (issuer != null) {
        issuer.close();
      }
      throw e;
    }
    JwtVerifier jwts = keys == null ? null : new JwtVerifier(options.jwt(), keys);
    Introspection others = introspects ? new Introspection(options.introspection(), issuer) : null;
    return Optional.of(new TokenAuthenticator(threads, jwts, others, issuer, fetched));
  }

  @Override
  public CompletionStage<Principal> authenticate(Credential credential, String address) {
    String token = ((Credential.Token) credential).value();
    if (token.isEmpty()) {
      return AuthenticationFailure.stage(
          Reason.MALFORMED, "the token is empty, or its encoding is invalid");
    }
    if (token.length() > MAX_BYTES) {
      return AuthenticationFailure.stage(
          Reason.MALFORMED, "the token is longer than " + MAX_BYTES + " bytes");
    }
    boolean asJwt = jwts != null && (others == null || isJwt(token));
    return threads.check(
        address,
        () -> asJwt ? jwts.check(token, threads.executor(address)) : others.check(token, address));
  }

  private static boolean isJwt(String token) {
    return token.startsWith(JWT_BEGIN) && token.chars().filter(c -> c == '.').count() == 2;
  }

  @Override
  public long failures() {
    return issuer == null ? 0 : issuer.failures();
  }

  @Override
  public IssuerMetadata issuerMetadata() {
    return fetched == null ? null : fetched.metadata();
  }

  @Override
  public void close() {
    if (jwts != null) {
      jwts.close();
    }
    if (others != null) {
      others.close();
    }
    if (issuer != null) {
      issuer.close();
    }
  }
}
