/**
 * Protocol of the Sluice gateway for Gatling's Java DSL. Start at {@link
 * io.sluice.gatling.SluiceDsl}. Builders are immutable: each method returns a new one.
 */
package io.sluice.gatling;
