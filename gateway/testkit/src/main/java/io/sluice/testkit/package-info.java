/**
 * Brokers, processes, network links, certificates and raw WebSockets shared by the tests of all
 * modules; depends on none of these modules. Most types are bound to the test's thread, as their
 * Javadoc states. Entry points are {@link io.sluice.testkit.TestBroker} for brokers, {@link
 * io.sluice.testkit.NodeProcess} for nodes and {@link io.sluice.testkit.RawWebSocket} for clients.
 */
package io.sluice.testkit;
