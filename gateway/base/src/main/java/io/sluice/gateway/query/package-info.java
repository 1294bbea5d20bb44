/**
 * Figures of topics and clients for operators' queries, and collectors of them. Only a query causes
 * work: the data plane keeps counters. Collectors are bound to the thread that they are called on.
 * The entry types are {@link io.sluice.gateway.query.ClientView} and {@link
 * io.sluice.gateway.query.TopicFigures}.
 */
package io.sluice.gateway.query;
