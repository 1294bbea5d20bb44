package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.provider.BrokerSource;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Persistence;

/**
 * One row of the table: a workload with a delivery mode at a broker. Immutable.
 *
 * @param name of the workload or, where brokers are compared, of the broker
 */
record Case(String name, BrokerWorkload workload, Persistence delivery, BrokerSource site) {}
