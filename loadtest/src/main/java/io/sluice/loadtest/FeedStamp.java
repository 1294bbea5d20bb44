package io.sluice.loadtest;

/**
 * Header of each payload of the feed: {@code TS=<unix time in ns> SEQ=<number in the topic> }.
 * Immutable, for any thread.
 *
 * @param unixNanos time at which the message was due
 */
record FeedStamp(long unixNanos, long sequence) {
  private static final String TIME = "TS=";
  private static final String SEQUENCE = " SEQ=";
  private static final int MAX_DIGITS = 18 + 1;

  /** Returns the stamp at {@code start}, or null. */
  static FeedStamp parse(CharSequence text, int start) {
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

  private static FeedStamp of(
      CharSequence text, int time, int timeEnd, int sequence, int sequenceEnd) {
    long unixNanos = number(text, time, timeEnd);
    long number = number(text, sequence, sequenceEnd);
    return unixNanos < 0 || number < 0 ? null : new FeedStamp(unixNanos, number);
  }

  /**
   * Returns the number at {@code start}, or a negative number if there are no digits or too many.
   */
  static long number(CharSequence text, int start) {
    return number(text, start, endOfDigits(text, start));
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
