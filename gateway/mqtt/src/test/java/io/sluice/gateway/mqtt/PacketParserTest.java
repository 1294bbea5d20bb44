package io.sluice.gateway.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of assembler and parser, with Netty's codec as the oracle. */
class PacketParserTest {
  private static final int MAX_BYTES = 4_096;
  private static final int ROUNDS = 3_000;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  @Test
  void shouldParseWhatTheOracleWrites() throws MqttFault {
    for (int i = 0; i < ROUNDS; i++) {
      boolean v5 = random.nextBoolean();
      List<MqttMessage> sent = conversation(v5);
      ByteBuf bytes = written(sent);
      List<MqttPacket> parsed = parse(bytes);
      assertThat(parsed).as("seed %d round %d", seed, i).hasSameSizeAs(sent);
      for (int n = 0; n < sent.size(); n++) {
        compare(sent.get(n), parsed.get(n), "seed %d round %d packet %d".formatted(seed, i, n));
      }
      bytes.release();
    }
  }

  @Test
  void shouldRefuseWhatTheOracleRefusesAndNeverFail() {
    int accepted = 0;
    for (int i = 0; i < ROUNDS; i++) {
      ByteBuf bytes = written(conversation(random.nextBoolean()));
      int flips = 1 + random.nextInt(3);
      for (int n = 0; n < flips; n++) {
        bytes.setByte(random.nextInt(bytes.writerIndex()), random.nextInt(256));
      }
      String of = "seed " + seed + " round " + i;
      boolean isValid = true;
      int read = 0;
      try {
        read = parse(bytes.copy()).size();
      } catch (MqttFault e) {
        isValid = false;
      }
      if (isValid && read > 0) {
        accepted++;
        assertThat(refusedByOracle(bytes.copy(), read)).as(of).isFalse();
      }
      bytes.release();
    }
    assertThat(accepted).as("accepted of %d mutated conversations", ROUNDS).isPositive();
  }

  /** Returns whether the oracle refuses one of the first packets. */
  private static boolean refusedByOracle(ByteBuf bytes, int packets) {
    EmbeddedChannel channel = new EmbeddedChannel(new MqttDecoder(MAX_BYTES, 1_000));
    channel.writeInbound(bytes);
    boolean refused = false;
    for (int i = 0; i < packets; i++) {
      MqttMessage message = channel.readInbound();
      refused |= message == null || message.decoderResult().isFailure();
      if (message instanceof MqttPublishMessage publish) {
        publish.release();
      }
    }
    channel.finishAndReleaseAll();
    return refused;
  }

  @Test
  void shouldKeepWithinTheLimit() {
    for (int factor = 1; factor <= 4; factor++) {
      int size = MAX_BYTES * factor;
      ByteBuf packet = Unpooled.buffer().writeByte(0x30);
      PacketWriter.writeVariable(packet, size);
      assertThatThrownBy(() -> new PacketAssembler(MAX_BYTES).feed(packet, (first, body) -> true))
          .isInstanceOfSatisfying(
              MqttFault.class, e -> assertThat(e.reason()).isEqualTo(MqttReason.PACKET_TOO_LARGE))
          .hasMessageContaining("exceeds " + MAX_BYTES);
    }
  }

  private List<MqttPacket> parse(ByteBuf bytes) throws MqttFault {
    List<MqttPacket> parsed = new ArrayList<>();
    io.sluice.gateway.mqtt.MqttVersion[] version = new io.sluice.gateway.mqtt.MqttVersion[1];
    PacketAssembler assembler = new PacketAssembler(MAX_BYTES);
    try {
      while (bytes.isReadable()) {
        int part = 1 + random.nextInt(Math.min(bytes.readableBytes(), 1 + random.nextInt(40)));
        assembler.feed(
            bytes.readSlice(part),
            (first, body) -> {
              MqttPacket packet = PacketParser.parse(first, body, version[0]);
              if (packet instanceof MqttPacket.Connect connect) {
                version[0] = connect.version();
              }
              parsed.add(packet);
              return true;
            });
      }
      return parsed;
    } finally {
      assembler.release();
    }
  }

  private static ByteBuf written(List<MqttMessage> messages) {
    EmbeddedChannel channel = new EmbeddedChannel(MqttEncoder.INSTANCE);
    ByteBuf all = Unpooled.buffer();
    // The encoder depends on the version of the CONNECT that a decoder has read.
    for (MqttMessage each : messages) {
      if (each instanceof MqttConnectMessage connect) {
        EmbeddedChannel probe = channel;
        io.netty.handler.codec.mqtt.MqttVersion version =
            connect.variableHeader().version() == 5 ? MqttVersion.MQTT_5 : MqttVersion.MQTT_3_1_1;
        probe.attr(io.netty.util.AttributeKey.valueOf("NETTY_CODEC_MQTT_VERSION")).set(version);
      }
      channel.writeOutbound(each);
      for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
        all.writeBytes(part);
        part.release();
      }
    }
    channel.finishAndReleaseAll();
    return all;
  }

  private List<MqttMessage> conversation(boolean v5) {
    List<MqttMessage> all = new ArrayList<>();
    all.add(connect(v5));
    for (int i = random.nextInt(6); i > 0; i--) {
      all.add(
          switch (random.nextInt(3)) {
            case 0 -> publish(v5);
            case 1 -> subscribe(v5);
            default -> unsubscribe();
          });
    }
    return all;
  }

  private MqttMessage connect(boolean v5) {
    MqttMessageBuilders.ConnectBuilder builder =
        MqttMessageBuilders.connect()
            .protocolVersion(v5 ? MqttVersion.MQTT_5 : MqttVersion.MQTT_3_1_1)
            .clientId(text())
            .cleanSession(random.nextBoolean())
            .keepAlive(random.nextInt(65_536));
    if (random.nextBoolean()) {
      builder.username(text());
      builder.password(text().getBytes(StandardCharsets.UTF_8));
    }
    if (random.nextBoolean()) {
      builder.willFlag(true).willTopic(name()).willMessage(bytes()).willQoS(qos());
      builder.willRetain(random.nextBoolean());
    }
    if (v5) {
      MqttProperties properties = new MqttProperties();
      properties.add(new MqttProperties.IntegerProperty(PacketProperties.SESSION_EXPIRY, 77));
      properties.add(new MqttProperties.UserProperty(text(), text()));
      builder.properties(properties);
    }
    return builder.build();
  }

  private MqttMessage publish(boolean v5) {
    MqttQoS qos = qos();
    MqttMessageBuilders.PublishBuilder builder =
        MqttMessageBuilders.publish()
            .topicName(name())
            .qos(qos)
            .retained(random.nextBoolean())
            .payload(Unpooled.wrappedBuffer(bytes()));
    if (qos != MqttQoS.AT_MOST_ONCE) {
      builder.messageId(1 + random.nextInt(65_535));
    }
    if (v5) {
      MqttProperties properties = new MqttProperties();
      properties.add(new MqttProperties.StringProperty(PacketProperties.CONTENT_TYPE, text()));
      properties.add(new MqttProperties.BinaryProperty(PacketProperties.CORRELATION_DATA, bytes()));
      properties.add(new MqttProperties.IntegerProperty(PacketProperties.MESSAGE_EXPIRY, 9));
      builder.properties(properties);
    }
    return builder.build();
  }

  private MqttMessage subscribe(boolean v5) {
    MqttMessageBuilders.SubscribeBuilder builder =
        MqttMessageBuilders.subscribe().messageId(1 + random.nextInt(65_535));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      builder.addSubscription(
          name(),
          v5
              ? new MqttSubscriptionOption(
                  qos(),
                  random.nextBoolean(),
                  random.nextBoolean(),
                  MqttSubscriptionOption.RetainedHandlingPolicy.valueOf(random.nextInt(3)))
              : MqttSubscriptionOption.onlyFromQos(qos()));
    }
    return builder.build();
  }

  private MqttMessage unsubscribe() {
    MqttMessageBuilders.UnsubscribeBuilder builder =
        MqttMessageBuilders.unsubscribe().messageId(1 + random.nextInt(65_535));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      builder.addTopicFilter(name());
    }
    return builder.build();
  }

  private MqttQoS qos() {
    return MqttQoS.valueOf(random.nextInt(3));
  }

  private String name() {
    return "t/" + text();
  }

  private String text() {
    String[] parts = {"a", "é", "😀", "-", "7"};
    StringBuilder text = new StringBuilder("x");
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(parts[random.nextInt(parts.length)]);
    }
    return text.toString();
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(40)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static void compare(MqttMessage sent, MqttPacket parsed, String of) {
    if (sent instanceof MqttConnectMessage connect) {
      MqttPacket.Connect ours = (MqttPacket.Connect) parsed;
      assertThat(ours.clientId()).as(of).isEqualTo(connect.payload().clientIdentifier());
      assertThat(ours.user()).as(of).isEqualTo(connect.payload().userName());
      assertThat(ours.password()).as(of).isEqualTo(connect.payload().passwordInBytes());
      assertThat(ours.keepAlive())
          .as(of)
          .isEqualTo(connect.variableHeader().keepAliveTimeSeconds());
      assertThat(ours.cleanStart()).as(of).isEqualTo(connect.variableHeader().isCleanSession());
      assertThat(ours.will() != null).as(of).isEqualTo(connect.variableHeader().isWillFlag());
      if (ours.will() != null) {
        assertThat(ours.will().topic()).as(of).isEqualTo(connect.payload().willTopic());
        assertThat(ours.will().payload()).as(of).isEqualTo(connect.payload().willMessageInBytes());
        assertThat(ours.will().qos()).as(of).isEqualTo(connect.variableHeader().willQos());
      }
    } else if (sent instanceof MqttPublishMessage publish) {
      MqttPacket.Publish ours = (MqttPacket.Publish) parsed;
      assertThat(ours.topic()).as(of).isEqualTo(publish.variableHeader().topicName());
      assertThat(ours.qos()).as(of).isEqualTo(publish.fixedHeader().qosLevel().value());
      assertThat(ours.retain()).as(of).isEqualTo(publish.fixedHeader().isRetain());
      if (ours.qos() > 0) {
        assertThat(ours.id()).as(of).isEqualTo(publish.variableHeader().packetId());
      }
    } else if (sent instanceof MqttSubscribeMessage subscribe) {
      MqttPacket.Subscribe ours = (MqttPacket.Subscribe) parsed;
      assertThat(ours.id()).as(of).isEqualTo(subscribe.variableHeader().messageId());
      assertThat(ours.filters().stream().map(MqttPacket.Filter::filter).toList())
          .as(of)
          .isEqualTo(
              subscribe.payload().topicSubscriptions().stream()
                  .map(each -> each.topicFilter())
                  .toList());
    } else if (sent instanceof MqttUnsubscribeMessage unsubscribe) {
      MqttPacket.Unsubscribe ours = (MqttPacket.Unsubscribe) parsed;
      assertThat(ours.filters()).as(of).isEqualTo(unsubscribe.payload().topics());
    }
  }
}
