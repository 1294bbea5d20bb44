/** Records latencies of one measured client, a histogram a second. One thread writes. */
package io.sluice.loadtest.recording;
