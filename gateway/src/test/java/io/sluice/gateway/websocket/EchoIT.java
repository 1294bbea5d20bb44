package io.sluice.gateway.websocket;

import static io.sluice.testkit.ClientFrame.close;
import static io.sluice.testkit.ClientFrame.text;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.EchoConnection;
import io.sluice.testkit.ServerFrame;
import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;

/** The echo of a whole node. The codec alone runs all cases, a node those with the tag full. */
final class EchoIT {
  private static final byte[] LARGE = "0123456789abcdef".repeat(1 << 16).getBytes(US_ASCII);
  private static final byte[] NOT_UTF8 = {(byte) 0xff};

  @Test
  void shouldEchoAMessageOfManyReadsAndClose() {
    try (EchoNode node = new EchoNode();
        EchoConnection connection = node.open(null)) {
      connection.send(text(LARGE).bytes());
      assertThat(readMessage(connection)).isEqualTo(LARGE);

      connection.send(close(1000, "done").bytes());
      assertThat(connection.readFrame().opcode()).isEqualTo(ClientFrame.CLOSE);
      assertThat(connection.readFrame()).isNull();
    }
  }

  @Test
  void shouldCompressAndEndAnInvalidMessage() {
    try (EchoNode node = new EchoNode();
        EchoConnection connection = node.open("permessage-deflate")) {
      assertThat(connection.extensions()).startsWith("permessage-deflate");
      connection.send(text(LARGE).bytes());
      assertThat(readMessage(connection)).hasSizeLessThan(LARGE.length / 10);

      connection.send(text(NOT_UTF8).bytes());
      ServerFrame end = connection.readFrame();
      assertThat(end.opcode()).isEqualTo(ClientFrame.CLOSE);
      assertThat(end.closeCode()).isEqualTo(1007);
      assertThat(connection.readFrame()).isNull();
    }
  }

  private static byte[] readMessage(EchoConnection connection) {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    ServerFrame frame;
    do {
      frame = connection.readFrame();
      message.writeBytes(frame.payload());
    } while (!frame.fin());
    return message.toByteArray();
  }
}
