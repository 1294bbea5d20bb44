/** What a load test takes from messages: latency, order and loss. Knows nothing of Gatling. */
package io.sluice.loadtest;
