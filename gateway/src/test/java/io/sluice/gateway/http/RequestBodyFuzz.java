package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Adds bytes to a request's body in pieces and compares it with the text that they are. The first
 * byte of an input chooses the cuts.
 */
public final class RequestBodyFuzz {
  private static final int MOST = 200;
  private static final long BUDGET = 150;

  private RequestBodyFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    ByteBudget budget = new ByteBudget(BUDGET);
    byte[] content = Arrays.copyOfRange(input, 1, input.length);
    try (RequestBody body = new RequestBody(MOST, budget)) {
      if (add(body, content, 1 + (input[0] & 0xFF))) {
        compare(body, content);
      }
    }
    assertThat(budget.take(BUDGET)).as("all of the budget is back").isTrue();
  }

  private static boolean add(RequestBody body, byte[] content, int longest) {
    for (int at = 0; at < content.length; at += longest) {
      int end = Math.min(content.length, at + longest);
      switch (body.add(Arrays.copyOfRange(content, at, end))) {
        case KEPT -> assertThat(end).isLessThanOrEqualTo((int) BUDGET);
        case TOO_LONG -> {
          assertThat(end).isGreaterThan(MOST);
          return false;
        }
        case NO_ROOM -> {
          assertThat((long) end).isGreaterThan(BUDGET);
          return false;
        }
        case NOT_TEXT -> {
          assertThat(text(content)).isNull();
          return false;
        }
      }
    }
    return true;
  }

  private static void compare(RequestBody body, byte[] content) {
    String text = text(content);
    assertThat(body.isText()).isEqualTo(text != null);
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
