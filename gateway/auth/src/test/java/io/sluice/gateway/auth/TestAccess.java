package io.sluice.gateway.auth;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.revocation.Revocations;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Access control for tests: everything is real except the check of tokens. */
public final class TestAccess {
  private TestAccess() {}

  /** Returns the access control of a configuration, without an audit log. */
  public static Access open(Config config) throws UnusableAuth {
    return Access.open(AuthOptions.of(config), AuditLog.NONE);
  }

  /** Returns access control that accepts these tokens, with the permissions of a configuration. */
  public static Access of(Config config, Map<String, Principal> tokens) {
    return of(config, new KnownTokens(tokens));
  }

  /** Returns access control with a custom check. */
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

  /** Returns a client with a name and claims. */
  public static Principal principal(String name, Map<String, Object> claims) {
    return new Principal(name, Principal.Mechanism.JWT, "", 0, Principal.NEVER, claims);
  }

  private record KnownTokens(Map<String, Principal> tokens) implements Authenticator {
    @Override
    public CompletionStage<Principal> authenticate(Credential credential, String address) {
      return CompletableFuture.completedFuture(tokens.get(((Credential.Token) credential).value()));
    }

    @Override
    public void close() {}
  }
}
