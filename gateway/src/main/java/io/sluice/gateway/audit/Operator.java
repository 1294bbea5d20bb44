package io.sluice.gateway.audit;

/**
 * Sender of a request to the admin port, for the audit log. Immutable, for any thread.
 *
 * @param address source address of the request
 * @param token name of the configured token that was used, such as {@code admin.token-file:3},
 *     never the token itself; empty without a valid token
 */
public record Operator(String address, String token) {}
