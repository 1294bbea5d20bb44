/**
 * Checks of the machine's limits for a number of clients, with remedies. Entry point is {@code
 * Doctor}; used by the main thread.
 */
package io.sluice.gateway.cli.doctor;
