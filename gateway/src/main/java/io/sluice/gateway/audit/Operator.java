package io.sluice.gateway.audit;

/**
 * Sender of a request to the admin port, for the audit log. Immutable, for any thread.
 *
 * @param address source address of the request
 * @param credential name of the credential that was used, never the token itself. A configured
 *     token has a name such as {@code admin.token-file:3}; a JWT has {@code oidc:} and its subject.
 *     Empty without a valid credential
 */
public record Operator(String address, String credential) {}
