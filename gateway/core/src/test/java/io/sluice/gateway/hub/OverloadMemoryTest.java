package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.shard.HubShard;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Memory of a hub whose topics receive four times the messages that its threads process. It never
 * exceeds the sum of the configured limits, whatever the speed of the machine.
 */
final class OverloadMemoryTest {
  private static final int LOOPS = 2;
  private static final int PAYLOAD = 2_000;

  /** Bytes of a message's frames in all encodings: JSON escapes a control character as six. */
  private static final int FRAMES = 2 * (6 * PAYLOAD + 1_000) + 2 * (PAYLOAD + 1_000);

  private static final long INGRESS_QUEUE = 64 << 10;
  private static final long INGRESS = 128 << 10;
  private static final long SHARD_QUEUE = 1 << 20;
  private static final long CACHE = 256 << 10;
  private static final long HISTORY = 1 << 20;
  private static final List<String> TOPICS = List.of("hot.1", "hot.2", "hot.3");

  private static final Config CONFIG =
      Config.defaults()
          .with(LimitSettings.INGRESS_QUEUE_BYTES, INGRESS_QUEUE)
          .with(LimitSettings.INGRESS_MEMORY, INGRESS)
          .with(LimitSettings.SHARD_QUEUE_BYTES, SHARD_QUEUE)
          .with(HistorySettings.FRAMES, CACHE)
          .with(HistorySettings.MEMORY, HISTORY);

  private final ManualExecutor sequencer = new ManualExecutor();
  private final HubFixture node = new HubFixture(LOOPS, CONFIG, sequencer, 65_536);

  @Test
  void shouldNotExceedSumOfLimits() {
    node.broker.connect();
    settle();
    for (HubShard shard : node.shards) {
      for (Encoding encoding : Encoding.SLUICE) {
        Overloaded client = new Overloaded(shard, encoding);
        TOPICS.forEach(client::subscribe);
      }
    }
    settle();
    double mostFrames = 0;
    for (int round = 0; round < 2_000; round++) {
      for (String topic : TOPICS) {
        node.broker.listener(topic).onMessage(message(topic, round), DeliveryInfo.of(round + 1));
      }
      if (round % 50 == 0) {
        sequencer.runAll();
      }
      if (round % 100 == 0) {
        node.loops.get(round / 100 % LOOPS).runOne();
      }
      mostFrames = Math.max(mostFrames, node.gauge("sluice.history.frames.bytes"));
      assertWithinLimits();
    }
    assertThat(node.dropped("ingress-queue-full")).as("dropped before encoding").isPositive();
    assertThat(node.dropped("shard-queue-full")).as("dropped after encoding").isPositive();
    assertThat(mostFrames).as("most bytes of frames").isGreaterThan((double) SHARD_QUEUE);
    settle();
    assertThat(node.hub.ingress().used()).as("bytes left to encode").isZero();
    node.assertNothingLeaked();
    node.close();
    sequencer.shutdownNow();
  }

  private void assertWithinLimits() {
    long onePerTopic = (long) TOPICS.size() * 2 * PAYLOAD; // admitted in any case
    assertThat(node.hub.ingress().used())
        .as("bytes that wait to be encoded")
        .isLessThanOrEqualTo(INGRESS + onePerTopic);
    assertThat(node.gauge("sluice.history.frames.bytes"))
        .as("bytes of frames")
        .isLessThanOrEqualTo((double) LOOPS * SHARD_QUEUE + CACHE + FRAMES);
    assertThat(node.directBytes())
        .as("bytes of direct memory")
        .isLessThanOrEqualTo(2 * (LOOPS * SHARD_QUEUE + CACHE + FRAMES));
    assertThat(node.gauge("sluice.history.bytes"))
        .as("bytes of logs")
        .isLessThanOrEqualTo((double) HISTORY + onePerTopic);
  }

  private void settle() {
    do {
      node.settle();
    } while (sequencer.runAll());
    node.settle();
  }

  private static Message message(String topic, int number) {
    byte[] payload = new byte[PAYLOAD];
    Arrays.fill(payload, (byte) 1);
    return new Message(topic, number + 1L, 1, PayloadKind.TEXT, payload, null);
  }

  private static final class Overloaded extends CountingSubscriber {
    Overloaded(HubShard shard, Encoding encoding) {
      super(shard, encoding);
    }

    void subscribe(String topic) {
      shard.subscribe(this, InterestKey.of(topic), 1, false, Start.NOW, Delivery.ALL);
    }

    @Override
    public void onGap(String topic, GapReason reason, long offset, ByteBuf frame) {
      assertThat(reason).isEqualTo(GapReason.OVERLOAD);
    }
  }
}
