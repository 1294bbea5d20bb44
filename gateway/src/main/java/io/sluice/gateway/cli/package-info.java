/**
 * Command line: one class for each command, below {@link io.sluice.gateway.cli.Sluice}, which is
 * the entry point. Commands run on the main thread; {@link io.sluice.gateway.cli.Termination} ends
 * the process from any thread.
 */
package io.sluice.gateway.cli;
