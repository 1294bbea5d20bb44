/** Reads and publishes by single HTTP requests, which ordinary sessions answer. */
package io.sluice.gateway.streams.read;
