/**
 * Calculates the number of gateway nodes for a number of clients from measurements of one node. All
 * types except the planner are immutable. The entry point is {@link
 * io.sluice.loadtest.plan.Planner}.
 */
package io.sluice.loadtest.plan;
