package io.sluice.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.util.AttributeKey;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** Client of MQTT over WebSockets whose packets a test writes and reads. */
final class MqttTestClient implements AutoCloseable {
  private static final int MAX_BYTES = 1 << 20;

  /** Null without WebSockets. */
  private final Deque<MqttPublishMessage> early = new ArrayDeque<>();

  private final RawWebSocket socket;

  /** Null with WebSockets. */
  private final Socket raw;

  private final boolean v5;
  private final EmbeddedChannel encoder = new EmbeddedChannel(MqttEncoder.INSTANCE);
  private final EmbeddedChannel decoder = new EmbeddedChannel(new MqttDecoder(MAX_BYTES));
  private int nextId = 1;

  /** Message that the client has received. */
  record Received(String topic, String payload, int qos, boolean retain, boolean dup, int id) {}

  private MqttTestClient(RawWebSocket socket, Socket raw, boolean v5) {
    this.socket = socket;
    this.raw = raw;
    this.v5 = v5;
    for (EmbeddedChannel each : List.of(encoder, decoder)) {
      each.attr(AttributeKey.<MqttVersion>valueOf("NETTY_CODEC_MQTT_VERSION")).set(version());
    }
  }

  private MqttVersion version() {
    return v5 ? MqttVersion.MQTT_5 : MqttVersion.MQTT_3_1_1;
  }

  /** Opens a WebSocket without a CONNECT. */
  static MqttTestClient open(RawWebSocket.Request request, boolean v5) {
    return new MqttTestClient(request.subprotocols("mqtt").open(), null, v5);
  }

  /** Uses a connection without WebSockets. */
  static MqttTestClient open(Socket raw, boolean v5) throws IOException {
    raw.setSoTimeout(30_000);
    return new MqttTestClient(null, raw, v5);
  }

  /** Opens a connection and awaits its acceptance. */
  static MqttTestClient connect(TestNode node, boolean v5) {
    MqttTestClient client = open(node.request(), v5);
    client.connect(builder -> builder.clientId("").cleanSession(true));
    return client;
  }

  MqttConnAckMessage connect(Consumer<MqttMessageBuilders.ConnectBuilder> options) {
    sendConnect(options);
    return read(MqttConnAckMessage.class);
  }

  void sendConnect(Consumer<MqttMessageBuilders.ConnectBuilder> options) {
    MqttMessageBuilders.ConnectBuilder builder =
        MqttMessageBuilders.connect().protocolVersion(version());
    options.accept(builder);
    send(builder.build());
  }

  void send(MqttMessage message) {
    encoder.writeOutbound(message);
    for (ByteBuf part = encoder.readOutbound(); part != null; part = encoder.readOutbound()) {
      sendBytes(ByteBufUtil.getBytes(part));
      part.release();
    }
  }

  /** Sends bytes, in one WebSocket message. */
  void sendBytes(byte[] bytes) {
    if (socket == null) {
      try {
        raw.getOutputStream().write(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    } else {
      socket.binary(bytes);
    }
  }

  private byte[] readBytes() {
    if (socket != null) {
      return socket.readMessage().payload();
    }
    try {
      byte[] bytes = new byte[4_096];
      int length = raw.getInputStream().read(bytes);
      if (length < 0) {
        throw new AssertionError("the node has closed the connection");
      }
      return Arrays.copyOf(bytes, length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the next packet. */
  MqttMessage read() {
    MqttMessage next = decoder.readInbound();
    while (next == null) {
      decoder.writeInbound(Unpooled.wrappedBuffer(readBytes()));
      next = decoder.readInbound();
    }
    if (next.decoderResult().isFailure()) {
      throw new AssertionError("the node sent a malformed packet", next.decoderResult().cause());
    }
    return next;
  }

  <T extends MqttMessage> T read(Class<T> type) {
    MqttMessage next = read();
    if (!type.isInstance(next)) {
      throw new AssertionError("expected " + type.getSimpleName() + ", not " + next);
    }
    return type.cast(next);
  }

  /**
   * Subscribes and returns the reason codes. Messages before the answer, which MQTT permits, are
   * returned later.
   */
  List<Integer> subscribe(int qos, String... filters) {
    return subscribe(qos, true, 0, filters);
  }

  List<Integer> subscribe(int qos, boolean retainAsPublished, int handling, String... filters) {
    MqttMessageBuilders.SubscribeBuilder builder =
        MqttMessageBuilders.subscribe().messageId(nextId++);
    for (String filter : filters) {
      builder.addSubscription(
          filter,
          new MqttSubscriptionOption(
              MqttQoS.valueOf(qos),
              false,
              v5 && retainAsPublished,
              MqttSubscriptionOption.RetainedHandlingPolicy.valueOf(v5 ? handling : 0)));
    }
    send(builder.build());
    MqttMessage next = read();
    while (next instanceof MqttPublishMessage message) {
      early.add(message);
      next = read();
    }
    return ((MqttSubAckMessage) next).payload().reasonCodes();
  }

  void unsubscribe(String filter) {
    send(MqttMessageBuilders.unsubscribe().messageId(nextId++).addTopicFilter(filter).build());
  }

  void publish(String topic, String payload) {
    publish(topic, payload, 0, false, 0, MqttProperties.NO_PROPERTIES);
  }

  void publish(
      String topic, String payload, int qos, boolean retain, int id, MqttProperties properties) {
    MqttMessageBuilders.PublishBuilder builder =
        MqttMessageBuilders.publish()
            .topicName(topic)
            .qos(MqttQoS.valueOf(qos))
            .retained(retain)
            .messageId(id)
            .payload(Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8));
    if (v5) {
      builder.properties(properties);
    }
    send(builder.build());
  }

  /** Returns the next message. */
  Received message() {
    MqttPublishMessage message = publication();
    try {
      MqttFixedHeader header = message.fixedHeader();
      return new Received(
          message.variableHeader().topicName(),
          message.payload().toString(StandardCharsets.UTF_8),
          header.qosLevel().value(),
          header.isRetain(),
          header.isDup(),
          message.variableHeader().packetId());
    } finally {
      message.release();
    }
  }

  MqttPublishMessage publication() {
    return early.isEmpty() ? read(MqttPublishMessage.class) : early.poll();
  }

  List<String> payloads(int count) {
    List<String> payloads = new ArrayList<>();
    while (payloads.size() < count) {
      payloads.add(message().payload());
    }
    return payloads;
  }

  void acknowledge(int id) {
    MqttFixedHeader header =
        new MqttFixedHeader(MqttMessageType.PUBACK, false, MqttQoS.AT_MOST_ONCE, false, 2);
    send(new MqttMessage(header, MqttMessageIdVariableHeader.from(id)));
  }

  void disconnect() {
    sendBytes(new byte[] {(byte) 0xE0, 0});
  }

  /** Reads the DISCONNECT of the node and returns its reason code. */
  int disconnected() {
    MqttMessage last = read();
    if (last.fixedHeader().messageType() != MqttMessageType.DISCONNECT) {
      throw new AssertionError("expected DISCONNECT, not " + last);
    }
    return reason(last);
  }

  /** Returns the reason code of a DISCONNECT. */
  static int reason(MqttMessage disconnect) {
    return ((MqttReasonCodeAndPropertiesVariableHeader) disconnect.variableHeader()).reasonCode()
        & 0xFF;
  }

  /** Reads until the end of the connection and returns the close code. */
  int closed() {
    return socket.awaitClose();
  }

  /** Resets the connection. */
  void reset() {
    socket.reset();
  }

  @Override
  public void close() {
    try {
      if (socket == null) {
        raw.close();
      } else {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    encoder.finishAndReleaseAll();
    decoder.finishAndReleaseAll();
  }
}
