package io.sluice.gateway.dictionary;

import io.sluice.gateway.protocol.dictionary.Dictionary;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Recorded messages: the lines of a file. Longer ones than a dictionary are not retained.
 * Immutable, for any thread.
 *
 * @param payloads the messages, without line ends
 * @param tooLong number of messages that are too long
 * @param isCut whether further messages exceeded the limit
 */
public record MessageLines(List<byte[]> payloads, int tooLong, boolean isCut) {
  private static final int END = -1;

  /**
   * Reads messages.
   *
   * @param maxBytes maximum bytes that are read
   */
  public static MessageLines read(InputStream from, int maxBytes) throws IOException {
    InputStream in = new BufferedInputStream(from);
    List<byte[]> payloads = new ArrayList<>();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int tooLong = 0;
    int next = in.read();
    for (int left = maxBytes; next != END; next = in.read()) {
      if (left-- == 0) {
        return new MessageLines(payloads, tooLong, true); // without the incomplete line
      }
      if (next != '\n') {
        write(next, line);
      } else {
        tooLong += add(line, payloads);
      }
    }
    tooLong += add(line, payloads);
    return new MessageLines(payloads, tooLong, false);
  }

  /** Adds a byte; one too many shows that a line is too long. */
  private static void write(int next, ByteArrayOutputStream line) {
    if (next != '\r' && line.size() <= Dictionary.MAX_BYTES) {
      line.write(next);
    }
  }

  /** Adds a line that is not empty; returns 1 if it is too long. */
  private static int add(ByteArrayOutputStream line, List<byte[]> payloads) {
    int bytes = line.size();
    if (bytes > 0 && bytes <= Dictionary.MAX_BYTES) {
      payloads.add(line.toByteArray());
    }
    line.reset();
    return bytes > Dictionary.MAX_BYTES ? 1 : 0;
  }
}
