package io.sluice.loadtest.result;

/**
 * What one measured client received. The counts are of the whole run, the latencies of the seconds
 * that count. Immutable.
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
