package io.sluice.loadtest.load;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Statistics of a load generator, taken once per second. Counters are cumulative since its start.
 * Immutable, for any thread.
 *
 * @param time milliseconds since 1970-01-01 UTC
 * @param open WebSockets that are open
 * @param subscribed open WebSockets with an active subscription
 * @param frames messages
 * @param bytes payload of all data frames
 * @param refused error frames of the gateway, which reject or end subscriptions
 * @param gaps gap frames of the gateway
 * @param failed failed connection attempts, protocol violations and messages with wrong content
 * @param closed WebSockets that the peer closed
 * @param cpuSeconds user and system time of the load generator's process
 * @param heapBytes Java heap in use, including garbage
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
        line.path("failed").asLong() + line.path("wrong").asLong(),
        line.path("closed").asLong(),
        line.path("cpuSeconds").asDouble(),
        line.path("heapBytes").asLong());
  }
}
