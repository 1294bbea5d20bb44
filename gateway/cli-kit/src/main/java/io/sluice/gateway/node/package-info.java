/**
 * A node as commands see it: its checks and failures of a start, and what its configuration
 * exposes. Entry points are {@code RunningNode}, {@code NodeChecks} and {@code StartFailure}; for
 * any thread.
 */
package io.sluice.gateway.node;
