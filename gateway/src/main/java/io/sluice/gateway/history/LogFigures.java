package io.sluice.gateway.history;

/**
 * Counters of a log since it was opened, and its content. Immutable, for any thread.
 *
 * @param messages number of appended messages
 * @param messageBytes bytes of their payloads
 * @param gaps number of appended gap markers
 * @param depth number of entries
 * @param depthBytes heap bytes of the entries
 * @param oldestMs arrival of the oldest entry, {@link HubClock#monoMs}; only if depth is above 0
 * @param latestMs arrival of the latest message, {@link HubClock#monoMs}; only after a message
 */
public record LogFigures(
    long messages,
    long messageBytes,
    long gaps,
    long depth,
    long depthBytes,
    long oldestMs,
    long latestMs) {}
