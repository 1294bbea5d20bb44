package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
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
  private final JwtCheck jwts;
  private final Introspection others;
  private final IssuerClient issuer;

  /**
   * @param jwts null if JWTs are like all others; one of the two is there
   * @param others null if there are none but JWTs
   * @param issuer null if nobody is asked; closed with this
   */
  private TokenAuthenticator(
      long mostBytes,
      CheckThreads threads,
      JwtCheck jwts,
      Introspection others,
      IssuerClient issuer) {
    this.mostBytes = mostBytes;
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
  static Optional<TokenAuthenticator> open(AuthOptions options, CheckThreads threads)
      throws UnusableAuth {
    boolean files = !options.jwt().files().isEmpty();
    boolean fetched = options.jwt().fetched();
    boolean asked = !options.introspection().url().isEmpty();
    if (!files && !fetched && !asked) {
      return Optional.empty();
    }
    if (options.jwt().claims().audience().isEmpty()) {
      log.atWarn().log("auth.any-audience");
    }
    IssuerClient issuer = fetched || asked ? IssuerClient.open(options.issuer()) : null;
    KeyRing.Source keys = null;
    try {
      if (files) {
        keys = KeyFiles.open(options.jwt());
      } else if (fetched) {
        keys = FetchedKeys.open(options.jwt(), options.issuer().plainHttp(), issuer);
      }
    } catch (UnusableAuth | RuntimeException e) {
      if (issuer != null) {
        issuer.close();
      }
      throw e;
    }
    JwtCheck jwts = keys == null ? null : new JwtCheck(options.jwt(), keys, threads.executor());
    Introspection others = asked ? new Introspection(options.introspection(), issuer) : null;
    return Optional.of(new TokenAuthenticator(options.mostBytes(), threads, jwts, others, issuer));
  }

  @Override
  public CompletionStage<Principal> authenticate(Credential credential) {
    String token = ((Credential.Token) credential).value();
    if (token.isEmpty()) {
      return AuthenticationFailure.stage(
          Reason.MALFORMED, "the token is empty, or not encoded as it should be");
    }
    if (token.length() > mostBytes) {
      return AuthenticationFailure.stage(
          Reason.MALFORMED, "the token is longer than " + mostBytes + " bytes");
    }
    boolean asJwt = jwts != null && (others == null || isJwt(token));
    return threads.check(() -> asJwt ? jwts.check(token) : others.check(token));
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
