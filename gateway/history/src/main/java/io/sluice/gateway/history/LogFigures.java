package io.sluice.gateway.history;

/**
 * Counters of a log since it was opened, and its content. Immutable, for any thread.
 *
 * @param messages number of appended messages
 * @param messageBytes bytes of their payloads
 * @param gaps number of appended gap markers
 * @param logMessages number of messages in the log, without gap markers
 * @param logBytes heap bytes of all entries
 * @param oldestMs arrival of the oldest message in the log, {@link HubClock#monoMs}; only if it
 *     retains one
 * @param latestMs arrival of the latest message, {@link HubClock#monoMs}; only after a message
 */
public record LogFigures(
    long messages,
    long messageBytes,
    long gaps,
    long logMessages,
    long logBytes,
    long oldestMs,
    long latestMs) {}
