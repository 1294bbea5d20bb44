package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MessageCodecTest {
  private static final ClusterMessage.Status STATUS =
      new ClusterMessage.Status(
          new Node(
              "gw-é",
              42,
              "wss://a/ws",
              "http://a:9090",
              "1.2",
              NodeState.UP,
              77,
              new Load(1, 2, 3.5, 0.25, 9),
              1_000),
          12);

  private static Optional<ClusterMessage> decode(byte[] bytes) throws MessageCodec.Malformed {
    return MessageCodec.decode(bytes, 0, bytes.length);
  }

  @Test
  void shouldDecodeAnEncodedStatus() throws Exception {
    assertThat(decode(MessageCodec.encode(STATUS))).contains(STATUS);
  }

  @Test
  void shouldPassTheLargestContent() throws Exception {
    byte[] largest = new byte[NodeMessages.MAX_BYTES];
    new Random(1).nextBytes(largest);
    ClusterMessage decoded =
        decode(MessageCodec.encode(new ClusterMessage.Content(largest))).orElseThrow();
    assertThat(((ClusterMessage.Content) decoded).bytes()).isEqualTo(largest);
  }

  @Test
  void shouldPassActiveTopics() throws Exception {
    ClusterMessage decoded =
        decode(MessageCodec.encode(new ClusterMessage.Topics(new byte[] {7, 8}))).orElseThrow();
    assertThat(((ClusterMessage.Topics) decoded).bytes()).containsExactly(7, 8);
  }

  @Test
  void shouldRejectContentWithoutBytes() {
    assertThatThrownBy(() -> decode(new byte[] {1, 7}))
        .isInstanceOf(MessageCodec.Malformed.class)
        .hasMessage("field 23 is missing");
  }

  @Test
  void shouldKeepAStatusSmall() {
    assertThat(MessageCodec.encode(STATUS)).hasSizeLessThan(210);
  }

  @Test
  void shouldSkipFieldsOfALaterVersion() throws Exception {
    byte[] known = MessageCodec.encode(STATUS);
    byte[] later = Arrays.copyOf(known, known.length + 5);
    ByteBuffer.wrap(later).position(known.length).put((byte) 99).putShort((short) 2);
    assertThat(decode(later)).contains(STATUS);
  }

  @Test
  void shouldUseDefaultsForMissingFields() throws Exception {
    byte[] earlier = {1, 1, 1, 0, 1, 'a'};
    Node node = ((ClusterMessage.Status) decode(earlier).orElseThrow()).node();
    assertThat(node).isEqualTo(new Node("a", 0, "", "", "", NodeState.JOINING, 0, Load.NONE));
    assertThat(node.acceptsClients()).isFalse();
  }

  @Test
  void shouldSkipKindsOfALaterVersion() throws Exception {
    assertThat(decode(new byte[] {1, 77, 1, 0, 1, 'a'})).isEmpty();
  }

  @Test
  void shouldReportWhyAMessageIsMalformed() {
    assertMalformed(new byte[] {1}, "1 bytes");
    assertMalformed(new byte[] {2, 1}, "version 2");
    assertMalformed(new byte[] {1, 1}, "without a name");
    assertMalformed(new byte[] {1, 1, 1, 0}, "truncated field");
    assertMalformed(new byte[] {1, 1, 1, 0, 9, 'a'}, "field 1 is truncated");
    assertMalformed(new byte[] {1, 1, 1, 0, 1, (byte) 0xff}, "not UTF-8");
    assertMalformed(new byte[] {1, 1, 1, 0, 1, 'a', 2, 0, 1, 0}, "field 2 of 1 bytes");
    byte[] longName = new byte[5 + MessageCodec.MAX_NAME_BYTES + 1];
    ByteBuffer.wrap(longName).put((byte) 1).put((byte) 1).put((byte) 1).putShort((short) 256);
    assertMalformed(longName, "field 1 of 256 bytes");
    assertMalformed(new byte[MessageCodec.MAX_BYTES + 1], "16385 bytes");
  }

  private static void assertMalformed(byte[] bytes, String what) {
    assertThatThrownBy(() -> decode(bytes))
        .isInstanceOf(MessageCodec.Malformed.class)
        .hasMessageContaining(what);
  }

  @Test
  void shouldDecodeOrRejectAnyBytes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] whole = MessageCodec.encode(STATUS);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = whole.clone();
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        decode(bytes);
      } catch (MessageCodec.Malformed e) {
        assertThat(e.getMessage()).as("seed %d", seed).isNotEmpty();
      }
    }
  }
}
