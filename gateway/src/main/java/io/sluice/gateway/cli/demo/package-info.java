/**
 * Faults of the demo that its page can cause: nodes and a broker that stop and start again. Entry
 * point is {@code DemoFaults}; for any thread.
 */
package io.sluice.gateway.cli.demo;
