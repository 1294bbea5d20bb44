package io.sluice.gateway.feed;

/** Generator of the payloads of a feed. Called only by the feed's thread. */
public interface Payloads {
  /**
   * Returns the text of one message.
   *
   * @param topic number of the topic, from 0
   * @param sequence number of the message in its topic, from 1
   * @param timeNs due time in nanoseconds since 1970
   */
  String payload(int topic, long sequence, long timeNs);
}
