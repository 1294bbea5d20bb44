package io.sluice.gateway.broker.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.protocol.queue.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class QueueCodecTest {
  private static final byte[] TEXT = "grüße".getBytes(StandardCharsets.UTF_8);
  private static final Requester CLIENT = new Requester("leaf-1", "alice", 7);

  private static final TopicSubscription SUBSCRIPTION =
      new TopicSubscription("alice", "news.>", "desk", true);

  private static final Publication PUBLICATION =
      new Publication(
          Destination.queue("orders"),
          PayloadKind.TEXT,
          TEXT,
          Map.of("flag", true),
          PublishHeaders.DEFAULT);

  private static final List<QueueRecord> RECORDS =
      List.of(
          new QueueRecord.Consume(1, new QueueRequest(CLIENT, "orders", "x = 1", 5)),
          new QueueRecord.Consume(1, new QueueRequest(CLIENT, SUBSCRIPTION, null, 5)),
          new QueueRecord.Credit(1, 9),
          new QueueRecord.Close(1),
          new QueueRecord.Settle(2, 1, 3, true, Settlement.REJECT),
          new QueueRecord.Respond(2, 1, CLIENT, 3, PUBLICATION),
          new QueueRecord.Transact(
              2, 1, CLIENT, List.of(new Acknowledgement(3, true)), List.of(PUBLICATION)),
          new QueueRecord.Browse(2, new QueueRequest(CLIENT, "orders", null, 0), 10),
          new QueueRecord.PublishAll(2, CLIENT, List.of(PUBLICATION, PUBLICATION)),
          new QueueRecord.ListDurables(2, CLIENT, null, 10),
          new QueueRecord.Delete(2, CLIENT, SUBSCRIPTION),
          new QueueRecord.Ask(2, CLIENT, 5_000, PUBLICATION),
          new QueueRecord.Consuming(1),
          new QueueRecord.Delivered(
              1,
              new QueueDelivery(
                  1,
                  Redelivery.UNKNOWN,
                  2,
                  3,
                  PayloadKind.BYTES,
                  TEXT,
                  null,
                  "type",
                  null,
                  Destination.topic("answers"),
                  "group",
                  "news.a")),
          new QueueRecord.Released(1, 0, ReleaseReason.TIMEOUT),
          new QueueRecord.Refused(1, ErrorCode.FORBIDDEN, "why"),
          new QueueRecord.Done(2),
          new QueueRecord.Browsed(2, true, 1),
          new QueueRecord.Listed(2, List.of(new DurableState(SUBSCRIPTION, "x = 1", 4, 2)), true),
          new QueueRecord.Replied(2, new Reply(1, 2, PayloadKind.JSON, TEXT, TEXT, null)));

  @Test
  void shouldReadEachRecord() throws Exception {
    for (QueueRecord each : RECORDS) {
      assertThat(QueueCodec.read(QueueCodec.write(each)))
          .usingRecursiveComparison()
          .isEqualTo(each);
    }
  }

  @Test
  void shouldRefuseARecordWithAnotherLength() {
    for (QueueRecord each : RECORDS) {
      byte[] whole = QueueCodec.write(each);
      for (int length = 0; length <= whole.length + 1; length++) {
        byte[] other = Arrays.copyOf(whole, length);
        if (length != whole.length) {
          assertThatThrownBy(() -> QueueCodec.read(other))
              .as("%s with %d bytes", each, length)
              .isInstanceOf(LinkCodec.Malformed.class);
        }
      }
    }
  }

  @Test
  void shouldReadOrRefuseAnyBytes() {
    Random random = new Random(1);
    for (int i = 0; i < 40_000; i++) {
      byte[] bytes = QueueCodec.write(RECORDS.get(random.nextInt(RECORDS.size())));
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        assertThat(QueueCodec.read(bytes)).isNotNull();
      } catch (LinkCodec.Malformed refused) {
        assertThat(refused).hasMessageContaining("record of queues");
      }
    }
  }
}
