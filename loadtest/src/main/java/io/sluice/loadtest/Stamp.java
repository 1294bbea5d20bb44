package io.sluice.loadtest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * What stands at the beginning of each payload of the feed: {@code TS=<unix time in ns> SEQ=<number
 * in the topic> }. Immutable, for any thread.
 */
record Stamp(long unixNanos, long sequence) {
  private static final String TIME = "TS=";
  private static final String SEQUENCE = " SEQ=";
  private static final String JSON_PAYLOAD = "\"payload\":\"";
  private static final int LONGEST = 64;
  private static final int MAX_DIGITS = 18 + 1;

  private static final int KIND_MASK = 0x0f;
  private static final int MESSAGE = 0x01;
  private static final int PROPERTIES = 0x40;
  private static final int HEADER_BYTES = 20;

  /** The stamp of a JSON message, or null if the frame has none. */
  static Stamp ofText(String frame) {
    int payload = frame.indexOf(JSON_PAYLOAD);
    return payload < 0 ? null : parse(frame, payload + JSON_PAYLOAD.length());
  }

  /** The stamp of a binary message, or null if the frame has none. */
  static Stamp ofBinary(byte[] frame) {
    if (frame.length < HEADER_BYTES || (frame[0] & KIND_MASK) != MESSAGE) {
      return null;
    }
    int payload = HEADER_BYTES;
    if ((frame[0] & PROPERTIES) != 0) {
      if (frame.length < HEADER_BYTES + 2) {
        return null;
      }
      payload += 2 + ((frame[HEADER_BYTES] & 0xff) << 8 | frame[HEADER_BYTES + 1] & 0xff);
    }
    if (payload > frame.length) {
      return null;
    }
    int length = Math.min(LONGEST, frame.length - payload);
    return parse(new String(frame, payload, length, ISO_8859_1), 0);
  }

  /** The stamp that begins at {@code start}, or null. */
  static Stamp parse(CharSequence text, int start) {
    if (!startsWith(text, start, TIME)) {
      return null;
    }
    int time = start + TIME.length();
    int afterTime = endOfDigits(text, time);
    if (!startsWith(text, afterTime, SEQUENCE)) {
      return null;
    }
    int sequence = afterTime + SEQUENCE.length();
    int afterSequence = endOfDigits(text, sequence);
    if (!startsWith(text, afterSequence, " ")) {
      return null;
    }
    return of(text, time, afterTime, sequence, afterSequence);
  }

  private static Stamp of(CharSequence text, int time, int timeEnd, int sequence, int sequenceEnd) {
    long unixNanos = number(text, time, timeEnd);
    long number = number(text, sequence, sequenceEnd);
    return unixNanos < 0 || number < 0 ? null : new Stamp(unixNanos, number);
  }

  private static long number(CharSequence text, int start, int end) {
    if (start == end || end - start > MAX_DIGITS) {
      return -1;
    }
    long value = 0;
    for (int i = start; i < end; i++) {
      value = value * 10 + (text.charAt(i) - '0');
    }
    return value;
  }

  private static boolean startsWith(CharSequence text, int at, String word) {
    if (at + word.length() > text.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (text.charAt(at + i) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static int endOfDigits(CharSequence text, int start) {
    int end = start;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }
}
