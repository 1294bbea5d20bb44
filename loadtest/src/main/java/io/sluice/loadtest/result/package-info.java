/** Result of a measurement and its JSON file. Entry point is {@code MeasurementFile}; immutable. */
package io.sluice.loadtest.result;
