/**
 * Publisher of test messages at a constant rate (open loop), for {@code sluice feed} and {@code
 * sluice demo}. Entry point is {@code Feed}, which occupies the calling thread. Imports only {@code
 * config} and {@code protocol} of the gateway.
 */
package io.sluice.gateway.feed;
