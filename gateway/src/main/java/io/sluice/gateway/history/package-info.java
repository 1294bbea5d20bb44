/**
 * Topic logs: bounded rings of recent messages with their offsets, the newest message of each topic
 * or key, and the encoded frames that fan-out and replay share.
 *
 * <p>The sequencer of an interest is the only writer of its {@link
 * io.sluice.gateway.history.TopicLog}; any thread reads it without a lock.
 */
package io.sluice.gateway.history;
