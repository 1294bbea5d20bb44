/** Syntax of the origins that browsers send. Stateless, for any thread. */
package io.sluice.gateway.config.origin;
