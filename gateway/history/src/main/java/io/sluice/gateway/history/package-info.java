/**
 * Topic logs: bounded rings of recent messages with offsets, the newest message of each topic or
 * key, and the encoded frames that fan-out and replay share. The sequencer of an interest is the
 * only writer of its log; any thread reads it without a lock. Entry point: {@link
 * io.sluice.gateway.history.TopicLog}.
 */
package io.sluice.gateway.history;
