package io.sluice.gateway.auth;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What decides about clients, for tests: everything is real but the check of tokens. */
public final class TestAccess {
  private TestAccess() {}

  /** One that knows these tokens, with the permissions of a configuration. */
  public static Access of(Config config, Map<String, Principal> tokens) {
    return of(config, new KnownTokens(tokens));
  }

  /** One with a check of the test's own. */
  public static Access of(Config config, Authenticator tokens) {
    Revocations revocations = Revocations.of(config);
    Authentication authentication =
        new Authentication(
            config.get(AuthSettings.ANONYMOUS),
            config.get(AuthSettings.TIMEOUT).toMillis(),
            tokens,
            null,
            null,
            new CheckThreads(config),
            revocations);
    return new Access(authentication, Permissions.of(config), revocations, AuditLog.NONE);
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
