/**
 * Admin port: liveness, readiness, metrics, sessions, revocation and cluster commands over HTTP.
 * Handlers are bound to the event loop of a separate Vert.x, which also has one worker. The entry
 * point is {@link io.sluice.gateway.admin.AdminServer}.
 */
package io.sluice.gateway.admin;
