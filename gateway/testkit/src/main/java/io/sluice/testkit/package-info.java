/**
 * Brokers, processes, network links, certificates and raw WebSockets that the tests of all modules
 * share. It depends on no module of the gateway.
 */
package io.sluice.testkit;
