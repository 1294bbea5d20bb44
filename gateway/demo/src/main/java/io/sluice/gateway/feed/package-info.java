/**
 * Publisher of test messages at a constant rate (open loop), for {@code sluice feed} and {@code
 * sluice demo}. A feed occupies the thread that runs it. The entry point is {@link
 * io.sluice.gateway.feed.Feed}.
 */
package io.sluice.gateway.feed;
