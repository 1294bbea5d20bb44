/**
 * Commands that send requests to nodes' admin ports. Used by the main thread only. The entry types
 * are {@link io.sluice.gateway.cli.admin.QueryCommands}, {@link
 * io.sluice.gateway.cli.admin.SessionCommands} and {@link
 * io.sluice.gateway.cli.admin.LiveCommands}.
 */
package io.sluice.gateway.cli.admin;
