package io.sluice.gateway.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class StompParserTest {
  private static final int MAX_BYTES = 1000;

  private final StompParser parser = new StompParser(MAX_BYTES);
  private final List<StompFrame> frames = new ArrayList<>();

  @AfterEach
  void stop() {
    parser.stop();
  }

  private void read(String text) throws BadStomp {
    parser.read(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)), frames::add);
  }

  private StompFrame only(String text) throws BadStomp {
    read(text);
    assertThat(frames).hasSize(1);
    return frames.get(0);
  }

  private static String text(StompFrame frame) {
    return new String(frame.body(), StandardCharsets.UTF_8);
  }

  @Test
  void shouldReadAFrame() throws BadStomp {
    StompFrame frame = only("SEND\ndestination:/topic/a\nx:\n\nhello €\0");
    assertThat(frame.command()).isEqualTo(StompCommand.SEND);
    assertThat(frame.header("destination")).isEqualTo("/topic/a");
    assertThat(frame.header("x")).isEmpty();
    assertThat(frame.header("y")).isNull();
    assertThat(text(frame)).isEqualTo("hello €");
    assertThat(frame.bytes()).isEqualTo(40);
  }

  @Test
  void shouldReadSeveralFramesWithLineEndsBetweenThem() throws BadStomp {
    read("\n\r\nBEGIN\ntransaction:1\n\n\0\n\n\r\nCOMMIT\ntransaction:1\n\n\0ABORT\n\n\0\n");
    assertThat(frames)
        .extracting(StompFrame::command)
        .containsExactly(StompCommand.BEGIN, StompCommand.COMMIT, StompCommand.ABORT);
  }

  @Test
  void shouldReadCarriageReturnsBeforeLineEnds() throws BadStomp {
    StompFrame frame = only("SEND\r\ndestination:a\r\nb:c\rd\r\n\r\nx\r\n\0");
    assertThat(frame.header("destination")).isEqualTo("a");
    assertThat(frame.header("b")).isEqualTo("c\rd");
    assertThat(text(frame)).isEqualTo("x\r\n");
  }

  @Test
  void shouldReadABodyWithNul() throws BadStomp {
    StompFrame frame = only("SEND\ndestination:a\ncontent-length:3\n\n\0\0x\0\nACK");
    assertThat(frame.body()).containsExactly(0, 0, 'x');
    read("\nid:1\n\n\0");
    assertThat(frames.get(1).header("id")).isEqualTo("1");
  }

  @Test
  void shouldUseTheFirstOfRepeatedHeaders() throws BadStomp {
    StompFrame frame =
        only("SEND\ndestination:a\ndestination:b\ncontent-length:1\ncontent-length:9\n\nx\0");
    assertThat(frame.header("destination")).isEqualTo("a");
    assertThat(text(frame)).isEqualTo("x");
  }

  @Test
  void shouldNotUnescapeHeadersOfConnect() throws BadStomp {
    StompFrame frame = only("CONNECT\npasscode:a\\c:b\\x\n\n\0");
    assertThat(frame.header("passcode")).isEqualTo("a\\c:b\\x");
  }

  @ParameterizedTest
  @CsvSource({
    "V1_0, 'a\\cb\\n', 'a\\cb\\n'",
    "V1_1, 'a\\cb\\\\', 'a:b\\'",
    "V1_2, 'a\\cb\\\\c', 'a:b\\c'",
    "V1_2, 'a:b', 'a:b'",
    "V1_1, ' a ', ' a '",
    "V1_0, ' a ', 'a'",
  })
  void shouldUnescapeHeadersByVersion(StompVersion version, String raw, String meant)
      throws BadStomp {
    parser.version(version);
    StompFrame frame = only("SEND\nx\\cy:1\nz:" + raw + "\n\n\0");
    assertThat(frame.header("z")).isEqualTo(meant);
    assertThat(frame.header(version.escapes() ? "x:y" : "x\\cy")).isEqualTo("1");
  }

  @ParameterizedTest
  @CsvSource({"V1_1, 'a\\rb'", "V1_1, 'a\\t'", "V1_2, 'a\\t'", "V1_2, 'a\\'"})
  void shouldRefuseOtherEscapeSequences(StompVersion version, String value) {
    parser.version(version);
    assertThatThrownBy(() -> read("SEND\nz:" + value + "\n\n\0"))
        .isInstanceOf(BadStomp.class)
        .hasMessageContaining(version.text() + " does not define");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\n",
        "send\n",
        "\0\n",
        "MESSAGE\n",
        "SEND\nno colon\n",
        "SEND\n:x\n",
        "SEND\ncontent-length:-1\n\n",
        "SEND\ncontent-length:+1\n\n",
        "SEND\ncontent-length:x\n\n",
        "SEND\ncontent-length:\n\n",
        "SEND\ncontent-length:9999999999999999999\n\n",
        "SEND\ncontent-length:1\n\nxy",
        "ACK\nid:1\n\nbody\0",
      })
  void shouldRefuseInvalidFrames(String text) throws BadStomp {
    assertThatThrownBy(() -> read(text)).isInstanceOf(BadStomp.class);
    read("SEND\n\n\0"); // has no effect
    assertThat(frames).isEmpty();
  }

  @Test
  void shouldRefuseHeadersThatAreNotUtf8() {
    byte[] frame = "SEND\na:?\n\n\0".getBytes(StandardCharsets.UTF_8);
    frame[7] = (byte) 0xC0;
    assertThatThrownBy(() -> parser.read(Unpooled.wrappedBuffer(frame), frames::add))
        .isInstanceOf(BadStomp.class)
        .hasMessage("a header is not UTF-8");
  }

  @Test
  void shouldLimitTheNumberOfHeaders() throws BadStomp {
    StompFrame frame = only("SEND\n" + "a:b\n".repeat(StompParser.MAX_HEADERS) + "\n\0");
    assertThat(frame.headers().count()).isEqualTo(StompParser.MAX_HEADERS);
    assertThatThrownBy(() -> read("SEND\n" + "a:b\n".repeat(4 * StompParser.MAX_HEADERS)))
        .isInstanceOf(BadStomp.class)
        .hasMessageContaining("more than 128 headers");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SEND\n\n", "SEND\ncontent-length:%d\n\n", "SEND\nx:", "SE"})
  void shouldLimitTheSizeOfAFrame(String start) throws BadStomp {
    for (int size : new int[] {MAX_BYTES, MAX_BYTES + 1, 4 * MAX_BYTES}) {
      StompParser each = new StompParser(MAX_BYTES);
      String head = start.formatted(size - 25);
      String frame = head + "x".repeat(size - head.length());
      boolean isRead = true;
      try {
        for (char c : frame.toCharArray()) {
          each.read(Unpooled.wrappedBuffer(new byte[] {(byte) c}), frames::add);
        }
        if (head.endsWith("\n\n")) {
          each.read(Unpooled.wrappedBuffer(new byte[] {0}), frames::add);
        }
      } catch (BadStomp e) {
        isRead = false;
        assertThat(e).hasMessageContaining("limits.message-bytes (1000 bytes)");
      }
      assertThat(isRead).as("%s of %d bytes", head.strip(), size).isEqualTo(size == MAX_BYTES);
      each.stop();
    }
  }

  @Test
  void shouldReadNothingAfterTheSinkHasStoppedIt() throws BadStomp {
    parser.read(
        Unpooled.wrappedBuffer("ACK\nid:1\n\n\0ACK\nid:2\n\n\0".getBytes(StandardCharsets.UTF_8)),
        frame -> {
          frames.add(frame);
          parser.stop();
        });
    assertThat(frames).hasSize(1);
  }
}
