/**
 * Capacity planning: number of gateway nodes for a number of clients, from measurements of one
 * node. Entry point is {@code Planner}; all types are immutable.
 */
package io.sluice.loadtest.plan;
