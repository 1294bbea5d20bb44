/** How many gateways a given number of clients needs, from measurements of one. */
package io.sluice.loadtest.plan;
