package io.sluice.gateway.auth;

import io.sluice.gateway.config.Config;

/** What decides about clients, with a checker of tokens of the test's own. */
public final class TestAccess {
  private TestAccess() {}

  /** Takes tokens only; whatever is checked in ten seconds is in time. */
  public static Access of(Authenticator tokens) {
    Revocations revocations = Revocations.of(Config.defaults());
    return new Access(
        new Authentication(false, 10_000, tokens, null, null, revocations),
        Permissions.of(Config.defaults()),
        revocations,
        AuditLog.NONE);
  }
}
