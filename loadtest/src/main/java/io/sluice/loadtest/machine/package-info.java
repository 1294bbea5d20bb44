/** Where a measurement runs, and on which versions. */
package io.sluice.loadtest.machine;
