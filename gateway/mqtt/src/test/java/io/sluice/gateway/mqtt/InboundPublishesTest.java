package io.sluice.gateway.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the limits of messages that wait for the broker. */
final class InboundPublishesTest {
  private static final MqttOptions OPTIONS = new MqttOptions(65_536, List.of(), 10, List.of(), "");

  private final RecordingSession session = new RecordingSession();

  private InboundPublishes publishes(MqttVersion version) {
    PacketWriter writer = new PacketWriter(PooledByteBufAllocator.DEFAULT, version, false);
    return new InboundPublishes(session, writer, version, OPTIONS);
  }

  private static MqttPacket.Publish packet(int id, boolean dup) {
    return new MqttPacket.Publish("m", id, 1, dup, false, PacketProperties.NONE, new byte[0]);
  }

  @Test
  void shouldRefuseARepeatedPacketIdentifier() throws MqttFault {
    InboundPublishes publishes = publishes(MqttVersion.V5);
    for (int i = 0; i < 4; i++) {
      publishes.onPublish(packet(7, false));
    }
    assertThat(session.frames).hasSize(1);
    assertThat(session.sent)
        .hasSize(3)
        .allMatch(each -> each.startsWith("40") && each.contains("000791"));
    publishes.onPublished(7);
    publishes.onPublish(packet(7, false));
    assertThat(session.frames).hasSize(2);
  }

  @Test
  void shouldEndAConnectionOfMqtt3ThatRepeatsAnIdentifier() throws MqttFault {
    InboundPublishes publishes = publishes(MqttVersion.V3_1_1);
    publishes.onPublish(packet(7, false));
    publishes.onPublish(packet(7, true));
    assertThat(session.frames).hasSize(1);
    assertThatThrownBy(() -> publishes.onPublish(packet(7, false)))
        .hasMessageContaining("packet identifier 7 is in use");
  }

  @Test
  void shouldEndAConnectionThatExceedsReceiveMaximum() throws MqttFault {
    InboundPublishes publishes = publishes(MqttVersion.V5);
    for (int id = 1; id <= MqttOptions.RECEIVE_MAXIMUM; id++) {
      publishes.onPublish(packet(id, false));
    }
    for (int id = 200; id < 200 + 3 * MqttOptions.RECEIVE_MAXIMUM; id++) {
      MqttPacket.Publish further = packet(id, false);
      assertThatThrownBy(() -> publishes.onPublish(further))
          .isInstanceOfSatisfying(
              MqttFault.class,
              fault -> assertThat(fault.reason()).isEqualTo(MqttReason.RECEIVE_MAXIMUM_EXCEEDED));
    }
    assertThat(session.frames).hasSize(MqttOptions.RECEIVE_MAXIMUM);
  }
}
