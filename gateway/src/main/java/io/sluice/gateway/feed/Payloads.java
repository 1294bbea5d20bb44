package io.sluice.gateway.feed;

/** Makes the texts that a feed publishes. Called by the feed's thread only. */
public interface Payloads {
  /**
   * The text of one message; it begins with {@link Stamp#of}.
   *
   * @param topic number of the topic, from 0
   * @param sequence number of the message in its topic, from 1
   * @param timeNs nanoseconds since 1970
   */
  String payload(int topic, long sequence, long timeNs);
}
