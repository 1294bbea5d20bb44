/** Formats of log lines. */
package io.sluice.gateway.cli.logging;
