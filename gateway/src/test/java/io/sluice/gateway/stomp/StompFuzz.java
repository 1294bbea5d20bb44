package io.sluice.gateway.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses bytes as frames of a STOMP client, in one read and in chunks. Both must have the same
 * result and respect the limits. The first byte of an input selects the version, the second one is
 * the length of a chunk.
 */
public final class StompFuzz {
  private static final int MAX_BYTES = 300;

  private final List<String> events = new ArrayList<>();
  private final StompParser parser = new StompParser(MAX_BYTES);

  private StompFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length < 2) {
      return;
    }
    List<String> atOnce = new StompFuzz().read(input, input.length);
    List<String> inPieces = new StompFuzz().read(input, 1 + (input[1] & 0xFF));
    assertThat(inPieces).isEqualTo(atOnce);
  }

  private List<String> read(byte[] input, int length) {
    StompVersion[] versions = StompVersion.values();
    int selected = (input[0] & 0xFF) % (versions.length + 1);
    parser.version(selected == versions.length ? null : versions[selected]);
    try {
      for (int at = 2; at < input.length; at += length) {
        int count = Math.min(input.length - at, length);
        parser.read(Unpooled.wrappedBuffer(input, at, count), this::onFrame);
      }
    } catch (BadStomp e) {
      events.add("refused");
    }
    parser.stop();
    return events;
  }

  private void onFrame(StompFrame frame) {
    assertThat(frame.bytes()).isLessThanOrEqualTo(MAX_BYTES + 1);
    assertThat(frame.headers().count()).isLessThanOrEqualTo(StompParser.MAX_HEADERS);
    StringBuilder event = new StringBuilder(frame.command().name());
    frame
        .headers()
        .forEach((name, value) -> event.append('\n').append(name).append(':').append(value));
    events.add(event + " " + ByteBufUtil.hexDump(frame.body()));
  }
}
