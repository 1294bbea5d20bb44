package io.sluice.loadtest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * One message of the feed as it came from the gateway. Immutable, for any thread.
 *
 * @param brokerUnixMillis when the broker took it
 * @param payloadBytes its size, as long as the payload needs no escapes, which the feed's don't
 */
record FeedMessage(FeedStamp stamp, long brokerUnixMillis, int payloadBytes) {
  private static final String JSON_PAYLOAD = "\"payload\":\"";
  private static final String JSON_TIME = ",\"time\":";
  private static final int JSON_END = "\"}".length();

  private static final int KIND_MASK = 0x0f;
  private static final int MESSAGE = 0x01;
  private static final int PROPERTIES = 0x40;
  private static final int TIME_AT = 16;
  private static final int HEADER_BYTES = 20;
  private static final int LONGEST_STAMP = 64;

  /** Of a JSON message; null if the frame has no stamp or no time. */
  static FeedMessage ofText(String frame) {
    // Within a string of JSON the quotes would be escaped, so this is the member.
    int payload = frame.indexOf(JSON_PAYLOAD);
    int time = frame.indexOf(JSON_TIME);
    if (payload < 0 || time < 0 || time > payload) {
      return null;
    }
    int start = payload + JSON_PAYLOAD.length();
    FeedStamp stamp = FeedStamp.parse(frame, start);
    long millis = FeedStamp.number(frame, time + JSON_TIME.length());
    return stamp == null || millis < 0
        ? null
        : new FeedMessage(stamp, millis, frame.length() - JSON_END - start);
  }

  /**
   * Of a binary message, which has the low 32 bits of its time; null if the frame has no stamp.
   *
   * @param nowUnixMillis within 24 days of the message's time
   */
  static FeedMessage ofBinary(byte[] frame, long nowUnixMillis) {
    int payload = payload(frame);
    if (payload < 0 || payload > frame.length) {
      return null;
    }
    int length = Math.min(LONGEST_STAMP, frame.length - payload);
    FeedStamp stamp = FeedStamp.parse(new String(frame, payload, length, ISO_8859_1), 0);
    if (stamp == null) {
      return null;
    }
    int sinceTime = (int) nowUnixMillis - int32(frame, TIME_AT);
    return new FeedMessage(stamp, nowUnixMillis - sinceTime, frame.length - payload);
  }

  /** Where the payload begins; negative if this is no message. */
  private static int payload(byte[] frame) {
    if (frame.length < HEADER_BYTES || (frame[0] & KIND_MASK) != MESSAGE) {
      return -1;
    }
    if ((frame[0] & PROPERTIES) == 0) {
      return HEADER_BYTES;
    }
    if (frame.length < HEADER_BYTES + 2) {
      return -1;
    }
    return HEADER_BYTES + 2 + (int32(frame, HEADER_BYTES - 2) & 0xffff);
  }

  private static int int32(byte[] frame, int at) {
    return frame[at] << 24
        | (frame[at + 1] & 0xff) << 16
        | (frame[at + 2] & 0xff) << 8
        | frame[at + 3] & 0xff;
  }
}
