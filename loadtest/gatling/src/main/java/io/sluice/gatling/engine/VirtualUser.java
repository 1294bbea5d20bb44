package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gatling.core.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.sluice.gatling.check.BinaryFrame;
import io.sluice.gatling.check.Frames;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Connection and streams of one virtual user. It has no thread: everything runs on the event loop
 * that Gatling has assigned to the user.
 */
final class VirtualUser implements UserConnection.Events {
  /** Attribute of the session. Gatling retains attributes with this prefix. */
  static final String ATTRIBUTE = "gatling.sluice.user";

  /** Request name of implicit connects, and of failures that belong to no other request. */
  static final String CONNECT = "connect";

  private static final String CLIENT = "sluice-gatling";

  /** Receiver of the answer to a frame. */
  interface Answer {
    void onFrame(JsonNode frame);

    /** The node has refused the frame, or there is no answer. */
    void onFailure(String code, String message);
  }

  private record Pending(long ref, Answer answer, Future<?> timeout) {}

  private final SluiceComponents components;
  private final EventLoop loop;
  private final UserStreams streams = new UserStreams();

  /** Request name for failures that belong to no other request. */
  private final ResponseLog.Name name;

  private UserConnection connection;
  private boolean isOpen;
  private String token;
  private long lastRef;

  /** Frame or handshake whose answer the current action awaits; null without one. */
  private Pending pending;

  /** Called after each message; null unless an action awaits messages. */
  private Runnable onMessage;

  VirtualUser(SluiceComponents components, Session session) {
    this.components = components;
    this.loop = session.eventLoop();
    this.name = ResponseLog.Name.of(session, CONNECT);
  }

  /** Returns the state of a virtual user; null before its first action. */
  static VirtualUser of(Session session) {
    return (VirtualUser) session.attributes().getOrElse(ATTRIBUTE, () -> null);
  }

  UserStreams streams() {
    return streams;
  }

  boolean isOpen() {
    return isOpen;
  }

  long nextRef() {
    return ++lastRef;
  }

  /** Sets a listener that is called after each message; null removes it. */
  void onMessage(Runnable listener) {
    onMessage = listener;
  }

  /**
   * Connects unless the user is connected. The answer is called without a frame.
   *
   * @throws IllegalArgumentException if the address is invalid
   */
  void connect(Session session, Answer answer) {
    if (isOpen) {
      answer.onFrame(null);
      return;
    }
    SluiceProtocol protocol = components.protocol();
    List<Template> urls = protocol.urls();
    Template url = urls.get((int) (session.userId() % urls.size()));
    NodeAddress address = NodeAddress.parse(url.resolve(session));
    token = protocol.token() == null ? null : protocol.token().resolve(session);
    Map<String, String> headers = new HashMap<>();
    protocol.headers().forEach((header, value) -> headers.put(header, value.resolve(session)));
    long timeoutMs = protocol.connectTimeout().toMillis();
    connection = new UserConnection(this);
    await(0, answer, timeoutMs, () -> connection.fail("no hello within " + timeoutMs + " ms"));
    components.connector().open(loop, address, headers, connection);
  }

  /** Sends a frame without an answer. */
  void send(JsonNode frame) {
    connection.send(frame);
  }

  /** Sends a frame with a new ref. The caller awaits its answer before its next request. */
  void request(ObjectNode frame, long ref, long timeoutMs, Answer answer) {
    await(ref, answer, timeoutMs, () -> fail("timeout", "no answer within " + timeoutMs + " ms"));
    connection.send(frame.put("ref", ref));
  }

  private void await(long ref, Answer answer, long timeoutMs, Runnable onTimeout) {
    Future<?> timeout = loop.schedule(onTimeout, timeoutMs, TimeUnit.MILLISECONDS);
    pending = new Pending(ref, answer, timeout);
  }

  private Answer takePending() {
    Answer answer = pending.answer;
    pending.timeout.cancel(false);
    pending = null;
    return answer;
  }

  private void fail(String code, String message) {
    takePending().onFailure(code, message);
  }

  /** Ends all streams and the connection. Returns the session with the results of checks. */
  Session close(Session session) {
    Session result = session;
    for (ReceivedStream stream : streams.removeAll()) {
      result = stream.end(result);
    }
    isOpen = false;
    if (pending != null) {
      takePending();
    }
    disconnect();
    return result;
  }

  private void disconnect() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  @Override
  public void onSocket() {
    ObjectNode connect = Frames.of(CONNECT).put("client", CLIENT);
    if (token != null) {
      connect.put("token", token);
    }
    connection.send(connect);
  }

  @Override
  public void onBinary(ByteBuf bytes) {
    BinaryFrame frame = BinaryFrame.read(bytes);
    if (frame == null) {
      return;
    }
    if (frame.isDelivery()) {
      onDelivery(streams.byRef(frame.ref()), stream -> stream.onDelivery(frame));
    } else {
      streams.onMessage(frame);
    }
    notifyOfMessage();
  }

  @Override
  public void onText(JsonNode frame) {
    switch (frame.path("type").asText()) {
      case "message" -> {
        streams.onMessage(frame);
        notifyOfMessage();
      }
      case "delivery" -> {
        ReceivedStream consumer = streams.byRef(frame.path("ref").asLong());
        onDelivery(consumer, stream -> stream.onDelivery(frame));
        notifyOfMessage();
      }
      case "hello" -> onHello(frame);
      case "channel" -> streams.onChannel(frame);
      case "gap" -> streams.onGap(frame);
      case "subscribed" -> {
        streams.onSubscribed(frame);
        answer(frame);
      }
      case "error" -> onError(frame);
      default -> answer(frame);
    }
  }

  private void onDelivery(ReceivedStream consumer, Consumer<ReceivedStream> deliver) {
    if (consumer == null) {
      return;
    }
    deliver.accept(consumer);
    if (consumer.plan().isAcknowledged()) {
      send(Frames.of("ack").put("subscription", consumer.ref()).put("tag", consumer.settle()));
    }
  }

  private void notifyOfMessage() {
    if (onMessage != null) {
      onMessage.run();
    }
  }

  private void onHello(JsonNode hello) {
    isOpen = true;
    if (pending != null && pending.ref == 0) {
      takePending().onFrame(hello);
    }
  }

  private void answer(JsonNode frame) {
    if (isPending(frame)) {
      takePending().onFrame(frame);
    }
  }

  private boolean isPending(JsonNode frame) {
    return pending != null && frame.has("ref") && frame.path("ref").asLong() == pending.ref;
  }

  private void onError(JsonNode error) {
    String code = error.path("code").asText();
    String message = code + ": " + error.path("message").asText();
    ReceivedStream stream = streams.of(error);
    if (!isOpen && pending != null) {
      // Its close frame must not end the connection of the next attempt.
      disconnect();
      takePending().onFailure(code, message);
    } else if (isPending(error)) {
      takePending().onFailure(code, message);
    } else if (stream == null) {
      components.responses().fail(name, components.responses().nowMs(), code, message);
    } else if (error.has("subscription")) {
      components.responses().fail(stream.name(), components.responses().nowMs(), code, message);
    } else {
      stream.onLost(message);
    }
  }

  @Override
  public void onClosed(String reason) {
    boolean isReported = pending != null || streams.isActive();
    isOpen = false;
    connection = null;
    streams.onLost(reason);
    if (pending != null) {
      fail("disconnected", reason);
    }
    notifyOfMessage();
    if (!isReported) {
      components.responses().fail(name, components.responses().nowMs(), "disconnected", reason);
    }
  }
}
