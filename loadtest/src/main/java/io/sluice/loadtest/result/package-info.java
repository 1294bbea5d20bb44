/** What a measurement has found, as it is kept in a file of JSON. */
package io.sluice.loadtest.result;
