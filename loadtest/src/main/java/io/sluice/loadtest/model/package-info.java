/**
 * Models the CPU, memory and network of nodes and their broker, fits the model to recorded runs,
 * and plans a cluster of nodes. One thread uses it. The entry point is {@link
 * io.sluice.loadtest.model.ClusterPlanner}.
 */
package io.sluice.loadtest.model;
