package io.sluice.loadtest.result;

import java.time.Instant;
import java.util.List;

/**
 * One run of a simulation: a warm-up, whose end is found by rule, and the seconds that count.
 * Seconds are counted from the start of the run, the warm-up included. Immutable.
 *
 * @param number from 1
 * @param from when the run started: all clients were connected
 * @param warmUpSeconds how many seconds at the beginning do not count
 * @param steady whether the rule found an end of the warm-up in the first half; otherwise the
 *     warm-up is what was asked for at least, and the figures are those of a run that has not
 *     settled
 * @param seconds how many seconds count
 * @param clients the measured ones
 * @param connects from the start of a connection to its subscription's answer; null if none was
 *     made in the run
 * @param timeline of all measured clients together, one a second, the warm-up included
 * @param events in the order of time
 * @param gateway what it says of itself, in the order of time; empty if its metrics were not asked
 * @param crowd figures of the load generators; null if there are none
 */
public record MeasuredRun(
    int number,
    LoadProfile load,
    Instant from,
    int warmUpSeconds,
    boolean steady,
    int seconds,
    List<ClientResult> clients,
    Latencies connects,
    List<Second> timeline,
    List<Event> events,
    List<GatewaySample> gateway,
    LoadGeneratorResult crowd) {
  /**
   * Load that one run puts on the gateway. Immutable.
   *
   * @param clients connected at the same time, the measured ones among them
   * @param measured those that record every message
   * @param topics among which the clients are dealt out
   * @param rate messages a second of each topic
   * @param payloadBytes of each message
   */
  public record LoadProfile(int clients, int measured, int topics, double rate, int payloadBytes) {}

  /**
   * Messages that one measured client received. The counts are of the whole run, the latencies of
   * the seconds that count. Immutable.
   *
   * @param number from 0
   * @param received messages, repeated ones included
   * @param lost numbers that were passed over and never came
   * @param repeated messages that had come before
   * @param reordered messages that came after a later one
   * @param gaps told by the gateway
   * @param unreadable messages without the feed's stamp
   * @param sinceSent from the time that the publisher wrote into the message
   * @param sinceBroker from the time at which the broker took the message, which has whole
   *     milliseconds
   */
  public record ClientResult(
      int number,
      String topic,
      long received,
      long lost,
      long repeated,
      long reordered,
      long gaps,
      long unreadable,
      Latencies sinceSent,
      Latencies sinceBroker) {

    /** Something came, and all of it once and in order. */
    public boolean complete() {
      return received > 0 && lost + repeated + reordered + gaps + unreadable == 0;
    }
  }

  /**
   * Messages that all measured clients received in one second of a run; latencies since the
   * messages were sent, in microseconds. Immutable.
   *
   * @param second of the run, from 0
   */
  public record Second(int second, long messages, double mean, long p50, long p99, long max) {}

  /**
   * Something that may show in the latencies. Immutable.
   *
   * @param second of the run, with decimals
   * @param kind such as {@code collection}, {@code reconnect} or {@code gap}
   * @param text for people
   */
  public record Event(double second, String kind, String text) {}

  /**
   * Metrics of the gateway at one moment. Counters run since its start. Immutable.
   *
   * @param second of the run, with decimals; negative before it
   * @param cpuSeconds user and system time of its process
   * @param heapBytes in use
   * @param memoryBytes of its process that are in memory; 0 if it does not tell
   * @param clients connected
   * @param framesOut frames sent to clients
   * @param bytesOut bytes sent to clients
   * @param messagesIn messages from the broker
   * @param collections of garbage
   * @param collectionSeconds of pauses for them
   */
  public record GatewaySample(
      double second,
      double cpuSeconds,
      long heapBytes,
      long memoryBytes,
      long clients,
      long framesOut,
      long bytesOut,
      long messagesIn,
      long collections,
      double collectionSeconds) {}

  /**
   * Counters of the load generators in the measured seconds. Immutable.
   *
   * @param clients that were subscribed
   * @param frames messages received
   * @param bytes of their payloads and headers
   * @param failed connections that could not be made
   * @param closed connections that the gateway or the network ended
   * @param gaps told by the gateway
   * @param cpuSeconds of the load generators
   */
  public record LoadGeneratorResult(
      long clients,
      long frames,
      long bytes,
      long failed,
      long closed,
      long gaps,
      double cpuSeconds) {}
}
