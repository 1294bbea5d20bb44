/** Contract of JMS providers, which {@code sluice provider-check} and the build run. */
package io.sluice.gateway.broker.contract;
