package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolClient;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Client of MQTT: its connection, keep-alive, will and session. Subscriptions and publishes are
 * separate objects. Bound to the event loop of its connection.
 */
final class MqttClient extends ProtocolClient implements ClientRegistry.Connected {
  /** States of the connection. */
  private enum State {
    /** CONNECT has not arrived. */
    NEW,
    /** The credential is checked, or an earlier session is resumed. */
    CONNECTING,
    OPEN,
    ENDED
  }

  private static final int MS_PER_SECOND = 1_000;

  /** Maximum time in which an earlier session is resumed, in milliseconds. */
  private static final long RESUME_MS = 5_000;

  /** Maximum time in which an earlier connection with the same identifier ends. */
  private static final long TAKEOVER_MS = 2_000;

  /** Time in which received packets are read before a client counts as silent. */
  private static final long READ_MS = 200;

  /** Maximum time to complete publishes before a draining node ends the connection. */
  private static final long DRAIN_MS = 1_000;

  /** Maximum spread of the connections that a gap ends. */
  private static final int GAP_SPREAD_MS = 1_000;

  private final MqttNode node;
  private final boolean webSocket;
  private final Credential handshakeCredential;
  private final PacketAssembler assembler;
  private State state = State.NEW;
  private PacketWriter writer;

  /** Null after it was answered. */
  private MqttPacket.Connect connect;

  private MqttVersion version;

  /** Null after CONNECT was answered, if the node has assigned it. */
  private String clientId;

  private boolean assignsId;
  private ClientRegistry.Key key;
  private MqttPacket.Will will;
  private long willDelaySeconds;
  private long expirySeconds;
  private long maximumPacketSize;
  private int receiveMaximum;

  /** Packet identifier that an earlier connection used last, or 0. */
  private int lastPacketId;

  private int keepAliveSeconds;
  private long lastPacketNs;
  private MqttSubscriptions subscriptions;
  private InboundPublishes publishes;

  /** Null unless the client may have durable subscriptions. */
  private DurableSession durables;

  private boolean taken;
  private ClientRegistry.Takeover successor;
  private boolean registered;
  private boolean formerKnown;
  private boolean isEnded;

  /** Session of an ended connection, for one that has begun with the same identifier. */
  private StoredSession left;

  private boolean gapReported;
  private MqttReason closeReason;

  private final SessionPort port =
      new SessionPort() {
        @Override
        public void give(ClientFrame frame) {
          if (hasSession()) {
            MqttClient.this.give(frame, 0);
          }
        }

        @Override
        public void later(Runnable task) {
          MqttClient.this.later(task);
        }

        @Override
        public void send(ByteBuf packet) {
          MqttClient.this.send(packet);
        }

        @Override
        public OutboundWindow newWindow() {
          boolean held = state != State.OPEN;
          return new OutboundWindow(
              this, writer, receiveMaximum, maximumPacketSize, lastPacketId, held);
        }

        @Override
        public void end(MqttReason reason, String why) {
          MqttClient.this.end(reason, why, null, CloseCode.NORMAL);
        }
      };

  /**
   * @param handshakeCredential credential of the handshake, or null
   */
  MqttClient(
      MqttNode node,
      ProtocolContext loop,
      Connection connection,
      boolean webSocket,
      Credential handshakeCredential) {
    super(loop, connection);
    this.node = node;
    this.webSocket = webSocket;
    this.handshakeCredential = handshakeCredential;
    this.assembler = new PacketAssembler(node.options().maxPacketBytes());
  }

  @Override
  public void onText(ByteBuf payload) {
    close(CloseCode.UNSUPPORTED);
  }

  @Override
  public void onBinary(ByteBuf payload) {
    if (state == State.ENDED || isClosing()) {
      return;
    }
    lastPacketNs = System.nanoTime();
    read(payload);
    if (state == State.CONNECTING && assembler.waiting() > 2 * node.options().maxPacketBytes()) {
      end(MqttReason.QUOTA_EXCEEDED, "too many bytes before CONNACK", null, CloseCode.TOO_BIG);
    }
  }

  private void read(ByteBuf bytes) {
    try {
      assembler.feed(bytes, this::onPacket);
    } catch (MqttFault fault) {
      onFault(fault);
    }
  }

  private void onFault(MqttFault fault) {
    if (state == State.NEW && fault.reason() != MqttReason.UNSUPPORTED_VERSION) {
      state = State.ENDED;
      close(CloseCode.PROTOCOL_ERROR); // the standard has no answer before CONNECT
      return;
    }
    if (state == State.NEW) {
      writer = node.writer(MqttVersion.V3_1_1, webSocket);
    }
    end(fault.reason(), fault.getMessage(), null, CloseCode.PROTOCOL_ERROR);
  }

  private boolean onPacket(int first, ByteBuf body) throws MqttFault {
    if (state == State.ENDED || isClosing()) {
      return false;
    }
    MqttPacket packet = PacketParser.parse(first, body, version);
    if (!(packet instanceof MqttPacket.Publish)) { // charged with its frame
      connection.charge(1);
    }
    if (packet instanceof MqttPacket.Connect received) {
      onConnect(received);
    } else if (packet instanceof MqttPacket.Publish publish) {
      publishes().onPublish(publish);
    } else if (packet instanceof MqttPacket.Ack ack) {
      onAck(ack);
    } else if (packet instanceof MqttPacket.Subscribe subscribe) {
      subscriptions.onSubscribe(subscribe);
    } else if (packet instanceof MqttPacket.Unsubscribe unsubscribe) {
      subscriptions.onUnsubscribe(unsubscribe);
    } else if (packet instanceof MqttPacket.PingRequest) {
      send(writer.pingResponse());
    } else if (packet instanceof MqttPacket.Disconnect disconnect) {
      onDisconnect(disconnect);
    } else {
      throw MqttFault.protocol("AUTH without authentication method");
    }
    return state == State.OPEN && !isClosing();
  }

  private InboundPublishes publishes() {
    if (publishes == null) {
      publishes = new InboundPublishes(port, writer, version, node.options());
    }
    return publishes;
  }

  private void onConnect(MqttPacket.Connect received) throws MqttFault {
    version = received.version();
    writer = node.writer(version, webSocket);
    connect = received;
    state = State.CONNECTING;
    ConnectRules.check(received, node.options());
    PacketProperties properties = received.properties();
    assignsId = received.clientId().isEmpty();
    clientId = assignsId ? "auto-" + UUID.randomUUID() : received.clientId();
    will = received.will();
    willDelaySeconds = will == null ? 0 : will.properties().number(PacketProperties.WILL_DELAY, 0);
    maximumPacketSize = properties.number(PacketProperties.MAXIMUM_PACKET_SIZE, Integer.MAX_VALUE);
    expirySeconds = ConnectRules.expirySeconds(received);
    keepAlive(received.keepAlive());
    Credential credential = credential(received);
    ClientFrame.Connect frame =
        new ClientFrame.Connect(ClientFrame.NO_REF, "", "mqtt", false, false, false);
    open(
        loop.encoding(node.format(version, webSocket)),
        credential == null ? handshakeCredential : credential,
        frame);
  }

  private static Credential credential(MqttPacket.Connect received) {
    if (received.password() != null && received.password().length > 0) {
      return new Credential.Token(new String(received.password(), StandardCharsets.UTF_8));
    }
    boolean hasUser = received.user() != null && !received.user().isEmpty();
    return hasUser ? new Credential.Token(received.user()) : null;
  }

  private void keepAlive(int seconds) {
    keepAliveSeconds = seconds;
    if (seconds > 0) {
      executeLater(this::checkKeepAlive, limitMs());
    }
  }

  private long limitMs() {
    return (long) keepAliveSeconds * MS_PER_SECOND * 3 / 2;
  }

  private long silentMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastPacketNs);
  }

  // After a pause of the process, received packets are read before the client is checked.
  private void checkKeepAlive() {
    long leftMs = limitMs() - silentMs();
    if (leftMs > 0) {
      executeLater(this::checkKeepAlive, leftMs);
    } else {
      executeLater(this::endIfSilent, READ_MS);
    }
  }

  private void endIfSilent() {
    if (silentMs() < limitMs()) {
      checkKeepAlive();
    } else {
      String why = "nothing received for 1.5 times the keep alive of " + keepAliveSeconds + " s";
      end(MqttReason.KEEP_ALIVE_TIMEOUT, why, null, CloseCode.IDLE);
    }
  }

  @Override
  protected void onFrame(String type, JsonObject frame) {
    switch (type) {
      case "hello" -> {
        boolean hasDurables = frame.getJsonArray("features").contains("durable");
        later(() -> onAuthenticated(hasDurables));
      }
      case "listed", "deleted" -> durables.onAnswer(frame);
      case "subscribed" -> subscriptions.onSubscribed(frame.getLong("ref"), frame);
      case "consuming" -> subscriptions.onConsuming(frame.getLong("ref"));
      case "delivery" -> onDelivery(frame);
      case "released" -> onReleased(frame);
      case "published" -> publishes().onPublished(frame.getLong("ref", ClientFrame.NO_REF));
      case "error" -> onError(frame);
      case "gap" -> onGap(frame);
      case "draining" -> onDraining(frame.getString("url"));
      default -> {
        // Positions are the node's, and MQTT has no notice of a lost broker.
      }
    }
  }

  private void onError(JsonObject frame) {
    String code = frame.getString("code");
    String message = frame.getString("message");
    long ref = frame.getLong("ref", ClientFrame.NO_REF);
    if (ref == DurableSession.REF && durables != null) {
      durables.onAnswer(frame);
    } else if (state != State.OPEN && subscriptions == null) {
      end(MqttReason.ofError(code, false), message, null, CloseCode.UNAUTHORIZED);
    } else if (!subscriptions.onError(ref, code, message)) {
      publishes().onRefused(ref, MqttReason.ofError(code, true), message);
    }
  }

  private void onAuthenticated(boolean hasDurables) {
    if (assignsId && expirySeconds == 0) {
      resume(null, false); // no other connection can use the identifier
      return;
    }
    if (version == MqttVersion.V3_1_1 && hasDurables && identity().grant().mayHaveDurables()) {
      durables = new DurableSession(port, clientId, this::mayHold);
    }
    key = new ClientRegistry.Key(identity().requester().user(), clientId);
    node.clients().connect(key, this, System.currentTimeMillis(), this::onFormer);
    registered = true;
    executeLater(() -> resumeFormer(null), TAKEOVER_MS);
  }

  private boolean mayHold(String pattern) {
    return TopicPattern.anyCovers(loop.policy().options().durableTopics(), pattern)
        && identity().grant().mayHaveDurable(pattern);
  }

  private void onFormer(StoredSession former) {
    if (registered) {
      connection.execute(() -> resumeFormer(former)); // of another connection, on any thread
    } else {
      resumeFormer(former);
    }
  }

  private void resumeFormer(StoredSession former) {
    if (isClosing() || formerKnown) {
      return;
    }
    formerKnown = true;
    StoredSession known = connect.cleanStart() ? null : former;
    if (durables == null) {
      resume(known, false);
    } else {
      durables.list(answer -> onListed(answer, known));
    }
  }

  private void onListed(JsonObject answer, StoredSession former) {
    if (!answer.containsKey("subscriptions") || answer.containsKey("more")) {
      String why = answer.getString("message", "there are more than limits.durables");
      end(
          MqttReason.SERVER_UNAVAILABLE,
          "durable subscriptions are not known: " + why,
          null,
          CloseCode.NORMAL);
    } else if (connect.cleanStart()) {
      durables.deleteAll(answer);
      durables.afterRequests(() -> resume(null, false));
    } else {
      List<StoredFilter> filters = durables.filters(answer);
      boolean isDurable = !filters.isEmpty();
      resume(isDurable ? new StoredSession(filters, 0) : former, isDurable);
    }
  }

  private void resume(StoredSession former, boolean durable) {
    if (former == null) {
      newSubscriptions(0);
      accept(false);
      return;
    }
    newSubscriptions(former.lastPacketId());
    executeLater(
        () -> {
          if (state == State.CONNECTING) {
            onResumed(false);
          }
        },
        RESUME_MS);
    subscriptions.resume(former.filters(), durable, recovered -> later(() -> onResumed(recovered)));
  }

  private void onResumed(boolean recovered) {
    if (state != State.CONNECTING) {
      return;
    }
    if (!recovered && subscriptions.isDurable()) {
      String why = "durable subscriptions of the session do not open";
      end(MqttReason.SERVER_UNAVAILABLE, why, null, CloseCode.NORMAL);
      return;
    }
    if (!recovered) {
      subscriptions.endAll();
      releaseWindow();
      newSubscriptions(0);
    }
    accept(recovered);
  }

  private void newSubscriptions(int lastId) {
    receiveMaximum =
        (int)
            connect
                .properties()
                .number(PacketProperties.RECEIVE_MAXIMUM, MqttOptions.MAX_IN_FLIGHT);
    lastPacketId = lastId;
    long firstRef = subscriptions == null ? MqttSubscriptions.FIRST_REF : subscriptions.nextRef();
    subscriptions =
        new MqttSubscriptions(
            port, writer, node.options(), connect.cleanStart() ? null : durables, firstRef);
  }

  private void releaseWindow() {
    if (window() != null) {
      window().release();
    }
  }

  /** Returns the window of messages with QoS 1, or null. */
  private OutboundWindow window() {
    return subscriptions == null ? null : subscriptions.windowOrNull();
  }

  private void accept(boolean sessionPresent) {
    state = State.OPEN;
    send(
        writer.connack(
            new PacketWriter.Accepted(
                sessionPresent,
                expirySeconds,
                MqttOptions.RECEIVE_MAXIMUM,
                node.options().maxPacketBytes(),
                MqttOptions.TOPIC_ALIASES,
                !node.options().retained().isEmpty(),
                assignsId ? clientId : null)));
    connect = null;
    clientId = null;
    if (window() != null) {
      window().open();
    }
    read(Unpooled.EMPTY_BUFFER);
  }

  private void onAck(MqttPacket.Ack ack) throws MqttFault {
    switch (ack.kind()) {
      case PacketKind.PUBACK -> {
        if (window() != null) {
          window().onAcknowledged(ack.id());
        }
      }
      // Of a publish with QoS 2 to another server.
      case PacketKind.PUBREL ->
          send(writer.ack(PacketKind.PUBCOMP, ack.id(), MqttReason.PACKET_ID_NOT_FOUND, null));
      default -> throw MqttFault.protocol("acknowledgement of QoS 2, which the node never sends");
    }
  }

  private void onDisconnect(MqttPacket.Disconnect packet) throws MqttFault {
    long expiry = packet.properties().number(PacketProperties.SESSION_EXPIRY, expirySeconds);
    if (expirySeconds == 0 && expiry > 0) {
      throw MqttFault.protocol("session expiry of DISCONNECT without that of CONNECT");
    }
    expirySeconds = Math.min(expiry, MqttOptions.MAX_EXPIRY_SECONDS);
    if (packet.reason() == 0) {
      will = null;
    }
    closeReason = MqttReason.SUCCESS;
    finish(CloseCode.NORMAL);
  }

  @Override
  protected void onMessages(ByteBuf messages) {
    if (!messages.isReadable()) {
      return;
    }
    int at = messages.readerIndex();
    if (messages.getByte(at) != PublishRecord.MARK) {
      if (maximumPacketSize < Integer.MAX_VALUE) {
        sendFitting(messages);
      } else {
        connection.write(messages);
      }
      return;
    }
    while (at < messages.writerIndex()) {
      PublishRecord record = PublishRecord.read(messages, at);
      subscriptions.onRecord(record);
      at += record.size();
    }
  }

  private void sendFitting(ByteBuf messages) {
    int at = messages.readerIndex();
    while (at < messages.writerIndex()) {
      ByteBuf rest = messages.slice(at, messages.writerIndex() - at);
      int bytes = PacketWriter.packetBytes(rest, webSocket);
      int header = PacketWriter.transportBytes(rest, webSocket);
      if (bytes <= maximumPacketSize) {
        connection.write(rest.slice(0, header + bytes));
      }
      at += header + bytes;
    }
  }

  @Override
  protected long waitingBytes() {
    return window() == null ? 0 : window().waitingBytes();
  }

  private void onDelivery(JsonObject frame) {
    long ref = frame.getLong("ref");
    String pattern = subscriptions.pattern(ref);
    if (pattern == null) {
      return;
    }
    MqttFormat format = node.format(version, webSocket);
    ByteBuf encoded = GroupDelivery.encode(frame, pattern, format, PooledByteBufAllocator.DEFAULT);
    try {
      encoded.skipBytes(PacketWriter.transportBytes(encoded, webSocket));
      boolean redelivered = Boolean.TRUE.equals(frame.getValue("redelivered"));
      subscriptions.onDelivery(
          new PublishRecord(ref, frame.getLong("tag"), 0, 0, encoded), redelivered);
    } finally {
      encoded.release();
    }
  }

  // Without a lost broker, the message has only returned to the group.
  private void onReleased(JsonObject frame) {
    boolean isLost = "broker-lost".equals(frame.getString("reason"));
    if (isLost && subscriptions.isGroup(frame.getLong("ref"))) {
      endAfterGap("broker-lost");
    }
  }

  // A gap of a subscription with QoS 1 is a loss that only the end of the session expresses.
  private void onGap(JsonObject frame) {
    if (subscriptions.onGap(frame.getLong("ref"))) {
      endAfterGap(frame.getString("reason"));
    }
  }

  private void endAfterGap(String reason) {
    if (!gapReported) {
      gapReported = true;
      String why = "messages may be missing (" + reason + ")";
      executeLater(
          () -> {
            expirySeconds = 0;
            end(MqttReason.QUOTA_EXCEEDED, why, null, CloseCode.NORMAL);
          },
          ThreadLocalRandom.current().nextInt(GAP_SPREAD_MS));
    }
  }

  private void onDraining(String url) {
    MqttReason reason =
        url == null ? MqttReason.SERVER_SHUTTING_DOWN : MqttReason.USE_ANOTHER_SERVER;
    Runnable end = () -> end(reason, "the node drains", url, CloseCode.DRAINING);
    if (publishes == null || publishes.isIdle()) {
      later(end);
    } else {
      publishes.stop();
      executeLater(end, DRAIN_MS);
    }
  }

  @Override
  public void takeOver(ClientRegistry.Takeover next) {
    connection.execute(
        () -> {
          taken = true;
          if (isEnded) {
            next.accept(left);
          } else {
            successor = next;
            String why = "another connection has the client identifier";
            end(MqttReason.SESSION_TAKEN_OVER, why, null, CloseCode.NORMAL);
          }
        });
  }

  /** Ends the connection with a reason, and publishes the will. */
  private void end(MqttReason reason, String why, String reference, CloseCode code) {
    if (state == State.ENDED) {
      return;
    }
    if (writer != null) {
      if (state != State.OPEN) {
        sendLast(writer.refusal(reason, why, reference));
      } else if (version.hasProperties()) {
        sendLast(writer.disconnect(reason, why, reference));
      }
    }
    closeReason = reason;
    finish(code);
  }

  private void finish(CloseCode code) {
    state = State.ENDED;
    close(code);
  }

  @Override
  protected void onClosing(CloseCode code) {
    if (closeReason == null && writer != null) {
      closeReason = CloseReasons.of(code);
      if (state == State.OPEN && version.hasProperties()) {
        sendLast(writer.disconnect(closeReason, code.reason(), null));
      } else if (state == State.CONNECTING) {
        sendLast(writer.refusal(closeReason, code.reason(), null));
      }
    }
    if (closeReason == MqttReason.NOT_AUTHORIZED) {
      will = null; // of a credential that is revoked or has expired
    }
    state = State.ENDED;
    connection.close(code);
  }

  @Override
  protected void onEnd() {
    isEnded = true;
    state = State.ENDED;
    assembler.release();
    StoredSession stored = null;
    if (key != null) {
      if (subscriptions != null && expirySeconds > 0 && !subscriptions.isDurable()) {
        int lastId = window() == null ? lastPacketId : window().lastId();
        stored = new StoredSession(subscriptions.stored(), lastId);
      }
      leave(stored);
      left = stored;
    }
    releaseWindow();
    publishWill(stored);
    if (successor != null) {
      successor.accept(stored);
    }
  }

  private void leave(StoredSession stored) {
    if (taken) {
      return;
    }
    if (stored == null) {
      node.clients().remove(key, this);
    } else {
      long expiresMs = System.currentTimeMillis() + expirySeconds * MS_PER_SECOND;
      node.clients().store(key, this, stored, expiresMs);
    }
  }

  private void publishWill(StoredSession stored) {
    if (will == null) {
      return;
    }
    MqttPacket.Will published = will;
    will = null;
    long delayMs = Math.min(willDelaySeconds, stored == null ? 0 : expirySeconds) * MS_PER_SECOND;
    if (delayMs == 0 || connection.endReason().equals("draining")) {
      publishWill(published);
    } else {
      loop.executeLater(
          () -> {
            if (key == null || !node.clients().isConnected(key)) {
              publishWill(published);
            }
          },
          delayMs);
    }
  }

  private void publishWill(MqttPacket.Will published) {
    try {
      publishLast(
          PublishTranslator.frame(
              ClientFrame.NO_REF,
              published.topic(),
              published.retain(),
              published.properties(),
              published.payload(),
              node.options()));
    } catch (MqttFault refused) {
      throw new IllegalStateException("the will was checked at CONNECT", refused);
    }
  }
}
