/**
 * Login of operators by OpenID Connect: tokens of an issuer, and what the console needs to obtain
 * one.
 */
package io.sluice.gateway.admin.login;
