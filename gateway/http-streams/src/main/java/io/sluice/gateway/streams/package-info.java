/**
 * Open protocol HTTP with Server-Sent Events: translated to ordinary sessions. This package has the
 * routes. Nothing but its own pages depends on the module.
 */
package io.sluice.gateway.streams;
