package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.limits.Shares;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Adds bytes to a request's body in chunks and compares it with the text of all of them. The first
 * byte of an input is the length of a chunk.
 */
public final class RequestBodyFuzz {
  private static final int MAX_BYTES = 200;
  private static final int QUOTA_BYTES = 150;

  private RequestBodyFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    Shares quota = new Shares(2 * QUOTA_BYTES); // one address has half
    byte[] content = Arrays.copyOfRange(input, 1, input.length);
    try (RequestBody body = new RequestBody(MAX_BYTES, quota, "a")) {
      if (add(body, content, 1 + (input[0] & 0xFF))) {
        compare(body, content);
      }
    }
    assertThat(quota.used()).as("the whole quota is released").isZero();
  }

  private static boolean add(RequestBody body, byte[] content, int chunkBytes) {
    for (int start = 0; start < content.length; start += chunkBytes) {
      int end = Math.min(content.length, start + chunkBytes);
      switch (body.add(Arrays.copyOfRange(content, start, end))) {
        case BUFFERED -> assertThat(end).isLessThanOrEqualTo(start == 0 ? MAX_BYTES : QUOTA_BYTES);
        case TOO_LONG -> {
          assertThat(end).isGreaterThan(MAX_BYTES);
          return false;
        }
        case QUOTA_EXCEEDED -> {
          assertThat(end).isGreaterThan(QUOTA_BYTES);
          return false;
        }
        case NOT_UTF8 -> {
          assertThat(text(content)).isNull();
          return false;
        }
      }
    }
    return true;
  }

  private static void compare(RequestBody body, byte[] content) {
    String text = text(content);
    assertThat(body.isUtf8()).isEqualTo(text != null);
    if (text == null) {
      return;
    }
    List<String> lines = Arrays.stream(text.split("\n")).filter(line -> !isBlank(line)).toList();
    assertThat(body.isBlank()).isEqualTo(lines.isEmpty());
    List<String> found = new ArrayList<>();
    for (ByteBuf line = body.nextLine(); line != null; line = body.nextLine()) {
      found.add(line.toString(UTF_8));
    }
    assertThat(found).isEqualTo(lines);
  }

  private static boolean isBlank(String line) {
    return line.matches("[ \\t\\r]*");
  }

  private static String text(byte[] content) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException malformed) {
      return null;
    }
  }
}
