package io.sluice.gateway.auth;

import io.sluice.gateway.config.Config;

/**
 * What decides about a node's clients, and remembers it. Immutable, for any thread.
 *
 * @param authentication who they are
 * @param permissions what they may do
 * @param revocations whose credentials have been withdrawn
 * @param audit what is kept of it
 */
public record Access(
    Authentication authentication, Permissions permissions, Revocations revocations, AuditLog audit)
    implements AutoCloseable {

  /**
   * Gets ready as configured.
   *
   * @param config with the node's name, which the audit log tells
   */
  public static Access open(Config config) throws UnusableAuth {
    Revocations revocations = Revocations.of(config);
    Permissions permissions = Permissions.of(config);
    Authentication authentication = Authentication.open(config, revocations);
    try {
      return new Access(authentication, permissions, revocations, AuditFile.open(config));
    } catch (UnusableAuth | RuntimeException e) {
      authentication.close();
      throw e;
    }
  }

  @Override
  public void close() {
    authentication.close();
    audit.close();
  }
}
