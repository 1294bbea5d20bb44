package io.sluice.gateway.audit;

/**
 * Somebody at the admin port, for the audit log. Immutable, for any thread.
 *
 * @param address where the request came from
 * @param token which of the configured tokens it showed, such as {@code admin.token-file:3}, never
 *     the token itself; empty if it showed none that is right
 */
public record Operator(String address, String token) {}
