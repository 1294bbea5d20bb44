package io.sluice.gateway.auth;

/**
 * Whom the audit log speaks of.
 *
 * @param session the session's number, empty before there is one
 * @param address the client's own, behind any trusted proxy
 * @param principal who it is, {@link Principal#ANONYMOUS} until that is known
 */
public record Peer(String session, String address, Principal principal) {}
