package io.sluice.gateway.audit;

/**
 * Sender of a request to the admin port, for the audit log. Immutable, for any thread.
 *
 * @param address source address of the request
 * @param credential name of the credential that was used, never the token itself: of a configured
 *     token such as {@code admin.token-file:3}, or {@code oidc:} and the subject of a token of the
 *     operators' issuer; empty without a valid one
 */
public record Operator(String address, String credential) {}
