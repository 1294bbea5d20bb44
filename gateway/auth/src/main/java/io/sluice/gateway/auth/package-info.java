/**
 * Authentication and authorization of clients: credentials become a {@link Principal}, rules and
 * claims a {@link Grant}, and operators revoke credentials. Any thread may call it and is never
 * blocked: credentials are checked on threads of this package. Entry point: {@link Access}.
 */
package io.sluice.gateway.auth;
