/**
 * Checks of the machine, with remedies, and of a gateway from outside. Entry points are {@code
 * DoctorCommand} and {@code ProbeCommand}; used by the main thread.
 */
package io.sluice.gateway.cli.doctor;
