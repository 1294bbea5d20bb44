/**
 * Admin port: liveness, readiness, metrics, sessions, revocation and cluster commands over HTTP.
 * Entry point is {@code AdminServer}. It has a separate Vert.x with one event loop and one worker;
 * handlers are bound to that event loop.
 */
package io.sluice.gateway.admin;
