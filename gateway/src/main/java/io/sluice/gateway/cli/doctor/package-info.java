/** Whether a machine can hold the clients that it is meant for; see {@code Doctor}. */
package io.sluice.gateway.cli.doctor;
