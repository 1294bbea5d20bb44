/**
 * Parts that commands share: exit codes, texts of the help, failures for the user, the
 * configuration and the embedded broker. Used by the main thread, except {@link
 * io.sluice.gateway.cli.command.Termination} and {@link io.sluice.gateway.cli.command.BrokerChild}.
 */
package io.sluice.gateway.cli.command;
