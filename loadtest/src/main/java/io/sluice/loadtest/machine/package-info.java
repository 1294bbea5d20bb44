/** Describes the machine and the versions that a measurement ran on. Stateless. */
package io.sluice.loadtest.machine;
