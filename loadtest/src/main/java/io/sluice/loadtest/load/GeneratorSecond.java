package io.sluice.loadtest.load;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Statistics of a load generator in one second; counters run since its start. Immutable, for any
 * thread.
 *
 * @param time when, in milliseconds since 1970-01-01 UTC
 * @param open WebSockets that are open
 * @param subscribed those of them whose subscription stands
 * @param frames messages
 * @param bytes payload of all data frames
 * @param refused subscriptions that the gateway refused or ended, and its other errors
 * @param gaps gaps that it told
 * @param failed connections that came to nothing, or on which the protocol was broken
 * @param closed open WebSockets that the other side ended
 * @param cpuSeconds user and system time of the load generator's process
 * @param heapBytes Java heap in use, garbage included
 */
public record GeneratorSecond(
    long time,
    int open,
    int subscribed,
    long frames,
    long bytes,
    long refused,
    long gaps,
    long failed,
    long closed,
    double cpuSeconds,
    long heapBytes) {

  static GeneratorSecond of(JsonNode line) {
    return new GeneratorSecond(
        line.path("time").asLong(),
        line.path("open").asInt(),
        line.path("subscribed").asInt(),
        line.path("frames").asLong(),
        line.path("bytes").asLong(),
        line.path("refused").asLong(),
        line.path("gaps").asLong(),
        line.path("failed").asLong(),
        line.path("closed").asLong(),
        line.path("cpuSeconds").asDouble(),
        line.path("heapBytes").asLong());
  }
}
