package io.sluice.loadtest.result;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.List;

/**
 * Result of one run of a simulation: a warm-up, whose end is detected, and the measured seconds.
 * Seconds are counted from the start of the run, including the warm-up. Immutable, for any thread.
 *
 * @param number from 1
 * @param from when the run started: all clients were connected
 * @param warmUpSeconds seconds at the beginning excluded from the figures
 * @param steady whether the end of the warm-up was detected in the first half. Otherwise the
 *     warm-up has its minimum duration, and the run has no steady state
 * @param seconds number of measured seconds
 * @param clients the measured clients
 * @param connects times from the start of a connection to its subscription's confirmation; null
 *     without any
 * @param timeline of all measured clients together, one entry per second, including the warm-up
 * @param events in chronological order
 * @param gateway samples of its metrics in chronological order; empty if they were not scraped
 * @param loadGenerators figures of the load generators, or null
 * @param origin measured process and position in an A/B test, or null if unknown
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
    @JsonProperty("crowd") LoadGeneratorResult loadGenerators,
    RunOrigin origin) {

  /** Returns a copy with another number and origin. */
  public MeasuredRun with(int newNumber, RunOrigin newOrigin) {
    return new MeasuredRun(
        newNumber,
        load,
        from,
        warmUpSeconds,
        steady,
        seconds,
        clients,
        connects,
        timeline,
        events,
        gateway,
        loadGenerators,
        newOrigin);
  }

  /** Returns the identity of the measured process; empty if unknown. */
  public String process() {
    return origin == null ? "" : origin.process();
  }

  /**
   * Load that one run puts on the gateway. Immutable.
   *
   * @param clients concurrent connections, including measured clients
   * @param measured number of clients that record every message
   * @param topics number of topics over which clients are distributed
   * @param rate messages per second per topic
   * @param payloadBytes payload size of each message
   */
  public record LoadProfile(int clients, int measured, int topics, double rate, int payloadBytes) {}

  /**
   * Messages that one measured client received. Counters cover the whole run, latencies the
   * measured seconds. Immutable.
   *
   * @param number from 0
   * @param received messages, including duplicates
   * @param lost sequence numbers never received
   * @param repeated duplicate messages
   * @param reordered messages received after a later one
   * @param gaps reported by the gateway
   * @param unreadable messages without the feed's stamp
   * @param sinceDue latency since the time at which the message was due, its stamp; in files of
   *     earlier versions since it was sent
   * @param sinceBroker latency since the broker's timestamp, which has whole milliseconds
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
      @JsonAlias("sinceSent") Latencies sinceDue,
      Latencies sinceBroker) {

    /** Returns whether messages were received, each once and in order. */
    public boolean complete() {
      return received > 0 && lost + repeated + reordered + gaps + unreadable == 0;
    }
  }

  /**
   * Messages that all measured clients received in one second of a run. Latencies are since the due
   * time, in microseconds. Immutable.
   *
   * @param second of the run, from 0
   */
  public record Second(int second, long messages, double mean, long p50, long p99, long max) {}

  /**
   * Event that may affect the latencies. Immutable.
   *
   * @param second of the run, with decimals
   * @param kind such as {@code collection}, {@code reconnect} or {@code gap}
   * @param text description for users
   */
  public record Event(double second, String kind, String text) {}

  /**
   * Metrics of the gateway at one moment. Counters are cumulative since its start. Immutable.
   *
   * @param second of the run, with decimals; negative before its start
   * @param cpuSeconds user and system time of its process
   * @param heapBytes heap in use
   * @param memoryBytes resident memory of its process; 0 if unknown
   * @param clients connected clients
   * @param framesOut frames sent to clients
   * @param bytesOut bytes sent to clients
   * @param messagesIn messages from the broker
   * @param collections number of garbage collections
   * @param collectionSeconds total garbage collection pauses
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
   * @param clients subscribed clients
   * @param frames messages received
   * @param bytes of their payloads and headers
   * @param failed connections that could not be established
   * @param closed connections that the gateway or the network closed
   * @param gaps reported by the gateway
   * @param cpuSeconds CPU time of the load generators
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
