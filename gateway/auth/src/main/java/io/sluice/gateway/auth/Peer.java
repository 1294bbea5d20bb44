package io.sluice.gateway.auth;

import io.sluice.gateway.audit.AuditLog;

/**
 * Client of the node, before and after authentication. Immutable, for any thread.
 *
 * @param session the session's number, empty before there is one
 * @param address the client's own, behind any trusted proxy
 * @param principal of the credential, {@link Principal#ANONYMOUS} until it is checked
 */
public record Peer(String session, String address, Principal principal) implements AuditLog.Client {
  @Override
  public String subject() {
    return principal.name();
  }

  @Override
  public String mechanism() {
    return principal.mechanism().word();
  }

  @Override
  public String credentialId() {
    return principal.tokenId();
  }
}
