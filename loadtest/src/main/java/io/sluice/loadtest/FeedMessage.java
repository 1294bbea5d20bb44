package io.sluice.loadtest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * Message of the feed, parsed from a frame of the gateway. Immutable, for any thread.
 *
 * @param brokerUnixMillis time at which the broker accepted it
 * @param payloadBytes size of the payload, which must not contain escapes; the feed's payloads
 *     don't
 */
record FeedMessage(FeedStamp stamp, long brokerUnixMillis, int payloadBytes) {
  private static final String JSON_PAYLOAD = "\"payload\":\"";
  private static final String JSON_TIME = ",\"time\":";
  private static final int JSON_END = "\"}".length();

  private static final int KIND_MASK = 0x0f;
  private static final int MESSAGE = 0x01;
  private static final int PROPERTIES = 0x40;
  private static final int TIME_INDEX = 16;
  private static final int HEADER_BYTES = 20;
  private static final int MAX_STAMP_CHARS = 64;

  /** Returns a JSON message, or null if the frame has no stamp or no time. */
  static FeedMessage ofText(String frame) {
    // JSON strings escape quotes, so this match is the member.
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
   * Returns a binary message, or null if the frame has no stamp. The frame contains the low 32 bits
   * of the time.
   *
   * @param nowUnixMillis current time, within 24 days of the message's time
   */
  static FeedMessage ofBinary(byte[] frame, long nowUnixMillis) {
    int payload = payload(frame);
    if (payload < 0 || payload > frame.length) {
      return null;
    }
    int length = Math.min(MAX_STAMP_CHARS, frame.length - payload);
    FeedStamp stamp = FeedStamp.parse(new String(frame, payload, length, ISO_8859_1), 0);
    if (stamp == null) {
      return null;
    }
    int sinceTime = (int) nowUnixMillis - int32(frame, TIME_INDEX);
    return new FeedMessage(stamp, nowUnixMillis - sinceTime, frame.length - payload);
  }

  /** Returns the payload's index, or a negative number if the frame is not a message. */
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
