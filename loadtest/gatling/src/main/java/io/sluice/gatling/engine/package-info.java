/**
 * Engine of the Gatling protocol: connections, streams, actions and checks. Internal: simulations
 * use {@code io.sluice.gatling} only. The state of a virtual user belongs to its event loop.
 */
package io.sluice.gatling.engine;
