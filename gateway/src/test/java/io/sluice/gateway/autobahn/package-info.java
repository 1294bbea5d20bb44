/**
 * Runs the public Autobahn suite against a node's echo: {@link
 * io.sluice.gateway.autobahn.AutobahnSuite}.
 */
package io.sluice.gateway.autobahn;
