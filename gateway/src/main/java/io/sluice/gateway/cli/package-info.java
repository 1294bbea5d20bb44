/**
 * Command line of the gateway, with one class per command. Commands run on the main thread; {@link
 * io.sluice.gateway.cli.command.Termination} stops the process from any thread. Entry point is
 * {@link io.sluice.gateway.cli.Sluice}.
 */
package io.sluice.gateway.cli;
