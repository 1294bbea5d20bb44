/** Signals of the operating system. */
package io.sluice.gateway.cli.signal;
