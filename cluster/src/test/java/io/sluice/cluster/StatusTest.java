package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class StatusTest {
  private static final Status STATUS = status("gw-é", 1_000);

  private static Status status(String name, int capacity) {
    return new Status(
        new Node(
            name,
            42,
            "wss://a/ws",
            "http://a:9090",
            "1.2",
            NodeState.UP,
            77,
            new Load(1, 2, 3.5, 0.25, 9),
            capacity),
        12);
  }

  @Test
  void shouldDecodeAnEncodedStatus() throws Exception {
    assertThat(Status.decode(STATUS.encode())).isEqualTo(STATUS);
  }

  @Test
  void shouldKeepAStatusSmall() {
    assertThat(STATUS.encode()).hasSizeLessThan(210);
  }

  @Test
  void shouldIgnoreFieldsOfALaterVersion() throws Exception {
    byte[] known = STATUS.encode();
    byte[] later = Arrays.copyOf(known, known.length + 5);
    later[known.length] = 99;
    assertThat(Status.decode(later)).isEqualTo(STATUS);
  }

  @Test
  void shouldTreatAStateOfALaterVersionAsNotReady() throws Exception {
    byte[] later = STATUS.encode();
    int load = 2 * Integer.BYTES + 3 * Double.BYTES;
    later[later.length - load - 2 * Integer.BYTES - Long.BYTES + 3] = 99;
    Node node = Status.decode(later).node();
    assertThat(node.state()).isEqualTo(NodeState.JOINING);
    assertThat(node.sinceMs()).isEqualTo(77);
    assertThat(node.acceptsClients()).isFalse();
  }

  @Test
  void shouldReportWhyAStatusIsMalformed() {
    byte[] bytes = STATUS.encode();
    assertThatThrownBy(() -> Status.decode(Arrays.copyOf(bytes, bytes.length - 1)))
        .isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> Status.decode(new byte[] {Status.CHANNEL, 0, 1, (byte) 0xff}))
        .isInstanceOf(UTFDataFormatException.class);
    assertMalformed(status("", 0).encode(), "without a name");
    assertMalformed(status("a", -1).encode(), "capacity -1");
    assertMalformed(status("a".repeat(256), 0).encode(), "text of 256 characters");
    bytes[bytes.length - Double.BYTES] = (byte) 0xff;
    assertMalformed(bytes, "figure is negative");
  }

  private static void assertMalformed(byte[] bytes, String what) {
    assertThatThrownBy(() -> Status.decode(bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(what);
  }

  @Test
  void shouldDecodeOrRejectAnyBytes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] whole = STATUS.encode();
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = whole.clone();
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        Status.decode(bytes);
      } catch (IOException e) {
        assertThat(e.toString()).as("seed %d", seed).isNotEmpty();
      }
    }
  }
}
