/**
 * Parts that all commands share: exit codes, texts of the help, and failures for the user. Used by
 * the main thread, except {@link io.sluice.gateway.cli.command.Termination}.
 */
package io.sluice.gateway.cli.command;
