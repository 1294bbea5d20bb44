/**
 * Authentication and permissions of clients: tokens, certificates and Kerberos tickets become a
 * {@link Principal}, rules and claims a {@link Grant}, and operators withdraw credentials ({@link
 * Revocations}). {@link Access} is the entry point. Any thread may call it and is never blocked:
 * credentials are checked on threads of this package.
 */
package io.sluice.gateway.auth;
