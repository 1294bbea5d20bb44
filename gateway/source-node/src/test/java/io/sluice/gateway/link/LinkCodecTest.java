package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LinkCodecTest {
  private static final byte[] TEXT = "grüße".getBytes(StandardCharsets.UTF_8);

  private static final Publication PUBLICATION =
      new Publication(
          Destination.topic("a.b"),
          PayloadKind.TEXT,
          TEXT,
          Map.of("text", "x", "flag", true, "long", 1L, "byte", (byte) 2, "double", 0.5),
          new PublishHeaders(
              7,
              1_000,
              PublishHeaders.NONE,
              PublishHeaders.Mode.PERSISTENT,
              "type",
              "correlation",
              null,
              Destination.queue("answers"),
              "id"));

  private static final List<LinkRecord> RECORDS =
      List.of(
          new LinkRecord.Hello(LinkCodec.VERSION, true, "root", List.of("a", "b"), 2, List.of("c")),
          new LinkRecord.State(List.of("jms"), Set.of(Feature.QUEUES), "not connected"),
          new LinkRecord.Used(List.of("a", "b.>")),
          new LinkRecord.Open(1, new InterestKey("a.>", "x = 1"), 2, 3, null),
          new LinkRecord.Open(2, InterestKey.of("a"), 0, 0, null),
          new LinkRecord.Close(1),
          new LinkRecord.Credit(1, 4_096),
          new LinkRecord.Begin(1, 2, 3, null, true),
          new LinkRecord.Confirmed(1, 2, "why"),
          new LinkRecord.Gap(1, 9, StreamPlace.id(0, 9), GapReason.OVERLOAD),
          new LinkRecord.Live(1),
          new LinkRecord.Lag(3, 4),
          new LinkRecord.Refused(1, ErrorCode.FORBIDDEN, "why"),
          new LinkRecord.Published(5),
          new LinkRecord.PublishRefused(5, ErrorCode.RATE_LIMITED, "why"));

  private static Buffer frame(LinkRecord... records) {
    Buffer frame = Buffer.buffer();
    for (LinkRecord each : records) {
      LinkCodec.write(each, frame);
    }
    return frame;
  }

  @Test
  void shouldReadTheRecordsOfAFrame() throws Exception {
    assertThat(LinkCodec.read(frame(RECORDS.toArray(LinkRecord[]::new)))).isEqualTo(RECORDS);
  }

  @Test
  void shouldReadAPlace() throws Exception {
    StreamPlace place = new StreamPlace(5, new long[] {1, 2}, new long[] {3, 4}, true);
    LinkRecord read = LinkCodec.read(frame(new LinkRecord.Begin(1, 2, 3, place, false))).get(0);
    assertThat(((LinkRecord.Begin) read).place()).usingRecursiveComparison().isEqualTo(place);
  }

  @Test
  void shouldReadARequestToReadBack() throws Exception {
    StreamPlace[] places = new StreamPlace[3];
    for (int i = 0; i < places.length; i++) {
      places[i] = new StreamPlace(5, new long[] {i});
    }
    LinkRecord.Read read = new LinkRecord.Read(1, 2, places[0], places[1], places[2], 3, 1L << 40);
    assertThat(LinkCodec.read(frame(read)).get(0)).usingRecursiveComparison().isEqualTo(read);
  }

  @Test
  void shouldReadMessagesOfAllKinds() throws Exception {
    for (PayloadKind kind : PayloadKind.values()) {
      for (byte[] properties : new byte[][] {null, "{\"a\":1}".getBytes(StandardCharsets.UTF_8)}) {
        Message message =
            new Message("a.b", 7, 8, kind, TEXT, properties, "key")
                .expiring(properties == null ? Message.NO_EXPIRY : 9);
        LinkRecord read = LinkCodec.read(frame(new LinkRecord.Entry(1, 6, message))).get(0);
        assertThat(((LinkRecord.Entry) read).message())
            .usingRecursiveComparison()
            .isEqualTo(message);
        LinkRecord.Stored stored = new LinkRecord.Stored(1, 2, message);
        assertThat(LinkCodec.read(frame(stored)).get(0))
            .usingRecursiveComparison()
            .isEqualTo(stored);
      }
    }
  }

  @Test
  void shouldReadAPublishWithTypedProperties() throws Exception {
    LinkRecord.Publish publish = new LinkRecord.Publish(1, "user", 3, PUBLICATION);
    LinkRecord.Publish read = (LinkRecord.Publish) LinkCodec.read(frame(publish)).get(0);
    assertThat(read.user()).isEqualTo("user");
    assertThat(read.sequence()).isEqualTo(3);
    assertThat(read.publication().payload()).isEqualTo(TEXT);
    assertThat(read.publication().headers()).isEqualTo(PUBLICATION.headers());
    assertThat(read.publication().properties()).isEqualTo(PUBLICATION.properties());
  }

  @Test
  void shouldRefuseAFrameThatEndsWithinARecord() {
    for (LinkRecord each : RECORDS) {
      Buffer whole = frame(each);
      for (int length = 1; length < whole.length(); length++) {
        Buffer cut = whole.getBuffer(0, length);
        assertThatThrownBy(() -> LinkCodec.read(cut))
            .as("%s cut to %d bytes", each, length)
            .isInstanceOf(LinkCodec.Malformed.class);
      }
    }
  }

  @Test
  void shouldReadOrRefuseAnyBytes() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = frame(RECORDS.get(random.nextInt(RECORDS.size()))).getBytes();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        assertThat(LinkCodec.read(Buffer.buffer(bytes))).isNotEmpty();
      } catch (LinkCodec.Malformed refused) {
        assertThat(refused).hasMessageContaining("record");
      }
    }
  }
}
