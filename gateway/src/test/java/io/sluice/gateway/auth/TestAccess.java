package io.sluice.gateway.auth;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.AuditOptions;
import io.sluice.gateway.config.Config;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What decides about clients, for tests: everything is real but the check of tokens. */
public final class TestAccess {
  private TestAccess() {}

  /** Everything as configured. */
  public static Access open(Config config) throws UnusableAuth {
    return Access.open(AuthOptions.of(config), AuditOptions.of(config));
  }

  /** One that knows these tokens, with the permissions of a configuration. */
  public static Access of(Config config, Map<String, Principal> tokens) {
    return of(config, new KnownTokens(tokens));
  }

  /** One with a check of the test's own. */
  public static Access of(Config config, Authenticator tokens) {
    AuthOptions options = AuthOptions.of(config);
    Revocations revocations = Revocations.of(options.revocations());
    Authentication authentication =
        new Authentication(
            options.anonymous(),
            options.timeout().toMillis(),
            tokens,
            null,
            null,
            new AuthExecutor(options.threads(), options.queue()),
            revocations);
    return new Access(
        authentication, Permissions.of(options.permissions()), revocations, AuditLog.NONE);
  }

  /** A client with a name and claims. */
  public static Principal principal(String name, Map<String, Object> claims) {
    return new Principal(name, Principal.Mechanism.JWT, "", 0, Principal.NEVER, claims);
  }

  private record KnownTokens(Map<String, Principal> tokens) implements Authenticator {
    @Override
    public CompletionStage<Principal> authenticate(Credential credential) {
      return CompletableFuture.completedFuture(tokens.get(((Credential.Token) credential).value()));
    }

    @Override
    public void close() {}
  }
}
