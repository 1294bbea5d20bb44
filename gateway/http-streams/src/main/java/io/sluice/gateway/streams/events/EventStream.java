package io.sluice.gateway.streams.events;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolClient;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.socket.ResponseHead;
import io.sluice.gateway.streams.route.EventResponse;
import io.sluice.gateway.streams.route.EventText;
import io.sluice.gateway.streams.route.Repeats;
import io.sluice.gateway.streams.route.StatusCodes;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Client of an event stream. Bound to the event loop of its connection.
 *
 * <p>The response begins when the session has answered all subscriptions, so that a refusal is an
 * HTTP status. It also begins when the broker is lost, or after a time.
 */
final class EventStream extends ProtocolClient {
  private static final ByteBuf HEARTBEAT =
      Unpooled.unreleasableBuffer(Unpooled.directBuffer(2).writeBytes(EventText.ascii(":\n")));

  /** Time after which the response begins without an answer. */
  private static final long ANSWER_MS = 5_000;

  /** Shortest time after which a client connects again, and what is added at random. */
  private static final int RETRY_MS = 500;

  private static final int RETRY_SPREAD_MS = 2_000;

  private final Credential credential;

  /** Null once the response has begun. */
  private Map<String, String> headers;

  /** Null for a stream with one topic. */
  private final PositionConnection positions;

  /** Null once the response has begun. */
  private ByteBuf head;

  /** The request; null after the subscriptions are answered. */
  private EventRequest request;

  private final List<String> topics;
  private int unanswered;

  /** Epoch of the only topic. */
  private String epoch;

  /** Time since which the client has everything of the only topic, or reports of gaps. */
  private long sinceMs;

  /** Number of topics whose subscriptions have not ended. */
  private int active;

  /** True once an error was sent instead of the stream, or its end. */
  private boolean ended;

  private EventStream(
      ProtocolContext loop,
      Connection connection,
      PositionConnection positions,
      EventRequest request,
      Credential credential,
      Map<String, String> headers) {
    super(loop, connection);
    this.positions = positions;
    this.request = request;
    this.topics = request.topics();
    this.credential = credential;
    this.headers = headers;
    this.unanswered = topics.size();
    this.active = topics.size();
  }

  /**
   * Creates a client.
   *
   * @param headers of the response besides those of an event stream
   */
  static EventStream of(
      ProtocolContext loop,
      Connection connection,
      EventRequest request,
      Credential credential,
      Map<String, String> headers) {
    if (request.topics().size() == 1) {
      return new EventStream(loop, connection, null, request, credential, headers);
    }
    PositionConnection positions =
        new PositionConnection(connection, request.topics(), loop, System::nanoTime);
    if (request.from().id() != null && request.from().id().indexOf('=') >= 0) {
      positions.resume(request.from().id());
    }
    return new EventStream(loop, positions, positions, request, credential, headers);
  }

  @Override
  public void onOpen() {
    head = ResponseHead.encode("200 OK", joined(EventResponse.HEADERS));
    EventText.retry(RETRY_MS + ThreadLocalRandom.current().nextInt(RETRY_SPREAD_MS), head);
    if (request.from().id() != null) {
      EventText.id(request.from().id(), head); // an empty line without an id would delete it
    }
    EventRequest subscribed = request;
    Encoding encoding = loop.encoding(subscribed.data().format());
    ClientFrame.Connect connect =
        new ClientFrame.Connect(ClientFrame.NO_REF, "", "", false, false, false);
    open(encoding, credential, connect);
    for (int i = 0; i < topics.size() && hasSession(); i++) {
      give(subscribe(subscribed, i), topics.get(i).length());
    }
    if (head != null && !isClosing()) {
      executeLater(this::begin, ANSWER_MS);
    }
  }

  private static ClientFrame.Subscribe subscribe(EventRequest request, int topic) {
    String name = request.topics().get(topic);
    return new ClientFrame.Subscribe(
        topic,
        new InterestKey(name, request.where()),
        request.where() != null,
        request.start(name),
        request.delivery());
  }

  private Map<String, String> joined(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.putAll(more);
    return all;
  }

  private static ByteBuf newBuffer() {
    return PooledByteBufAllocator.DEFAULT.directBuffer(512);
  }

  @Override
  protected void onFrame(String type, JsonObject frame) {
    switch (type) {
      case "subscribed" -> onSubscribed(frame);
      case "gap" -> onGap(frame);
      case "caught-up" -> onCaughtUp(frame.getLong("time"));
      case "stale" -> onStale(frame);
      case "live" -> event("live", new JsonObject());
      case "error" -> onError(frame);
      case "draining" -> later(() -> close(CloseCode.DRAINING));
      default -> {} // hello
    }
  }

  private int topic(JsonObject frame) {
    Integer ref = frame.getInteger("ref");
    return ref == null ? topics.indexOf(frame.getString("topic")) : ref;
  }

  private void onSubscribed(JsonObject frame) {
    int topic = topic(frame);
    Start start = request == null ? Start.NOW : request.start(topics.get(topic));
    boolean isLost = request != null && request.from().isLost();
    epoch = frame.getString("epoch");
    sinceMs = frame.getLong("time", sinceMs);
    int replay = frame.getInteger("replay", 0);
    if (positions != null) {
      positions.begin(topic, epoch);
    }
    ByteBuf events = newBuffer();
    boolean isRecovered = frame.getBoolean("recovered", !isLost);
    JsonObject data = new JsonObject().put("topic", topics.get(topic));
    if (!isRecovered) {
      EventText.event("gap", data.copy().put("reason", "not-recovered").encode(), events);
    }
    if (replay > 0 && (!isRecovered || start == Start.SNAPSHOT)) {
      EventText.event("snapshot", data.copy().put("messages", replay).encode(), events);
    } else if (replay > 0 && (isLate(start) || Repeats.of(start, frame) > 0)) {
      EventText.event("repeat", data.copy().put("messages", replay).encode(), events);
    }
    // A position from which everything was recovered remains valid until the next message.
    boolean keeps = start instanceof Start.Position && isRecovered;
    if (replay == 0 && !keeps) {
      position(topic, PositionText.of(epoch, frame.getLong("offset"), sinceMs, 0), events);
    }
    if (--unanswered == 0) {
      request = null;
    }
    sendControl(events);
    if (unanswered == 0 || positions == null) {
      begin();
    }
  }

  // The id of several topics may be older than the latest events.
  private boolean isLate(Start start) {
    return positions != null && start instanceof Start.Position;
  }

  private void position(int topic, String position, ByteBuf events) {
    if (positions == null) {
      EventText.id(position, events);
      EventText.end(events);
    } else {
      positions.move(topic, position);
    }
  }

  private void onGap(JsonObject frame) {
    int topic = topic(frame);
    sinceMs = frame.getLong("time");
    String begun = frame.getString("epoch", positions == null ? epoch : positions.epoch(topic));
    if (positions == null) {
      epoch = begun;
    } else {
      positions.begin(topic, begun);
    }
    ByteBuf events = newBuffer();
    position(topic, PositionText.of(begun, frame.getLong("offset"), sinceMs, 0), events);
    JsonObject data =
        new JsonObject().put("topic", topics.get(topic)).put("reason", frame.getString("reason"));
    EventText.event("gap", data.encode(), events);
    sendControl(events);
  }

  private void onCaughtUp(long timeMs) {
    if (positions != null) {
      positions.caughtUp(timeMs);
      connection.flush();
      return;
    }
    List<SubscriptionFigures> all = view() == null ? List.of() : view().subscriptions(any -> true);
    if (all.size() == 1 && all.get(0).admitted()) {
      ByteBuf events = newBuffer();
      position(0, PositionText.of(epoch, all.get(0).position(), sinceMs, timeMs), events);
      send(events);
    }
  }

  private void onStale(JsonObject frame) {
    event("stale", new JsonObject().put("sources", frame.getJsonArray("sources")));
    begin();
  }

  private void event(String type, JsonObject data) {
    ByteBuf events = newBuffer();
    EventText.event(type, data.encode(), events);
    sendControl(events);
  }

  /** Sends events, or adds them to the beginning of the response. */
  private void sendControl(ByteBuf events) {
    if (head == null) {
      send(events);
    } else {
      head.writeBytes(events);
      events.release();
    }
  }

  private void begin() {
    if (head == null || ended) {
      return;
    }
    ByteBuf first = head;
    head = null;
    headers = null;
    if (positions == null) {
      send(first);
    } else {
      positions.begin(first);
      first.release();
    }
  }

  private void onError(JsonObject frame) {
    String code = frame.getString("code");
    String message = frame.getString("message");
    if (head != null) {
      refuse(StatusCodes.refusal(code, message));
      later(() -> close(CloseCode.NORMAL));
    } else if (frame.containsKey("ref") && !ended) {
      frame.remove("type");
      event("ended", frame);
      if (--active == 0) {
        ended = true;
        later(() -> close(CloseCode.NORMAL));
      }
    }
  }

  /** Ends the stream before its response has begun. */
  private void refuse(Refusal refusal) {
    if (!ended) {
      ended = true;
      sendLast(error(refusal));
    }
  }

  /** Returns an error instead of the stream. */
  private ByteBuf error(Refusal refusal) {
    if (positions != null) {
      positions.abandon();
    }
    if (!EventResponse.isForNow(refusal)) {
      return ResponseHead.encode(refusal, joined(Map.of("Connection", "close")));
    }
    ByteBuf retry = ResponseHead.encode("200 OK", joined(EventResponse.HEADERS));
    retry.writeCharSequence(EventResponse.retry(refusal), UTF_8);
    return retry;
  }

  @Override
  public ByteBuf lastBytes(int code) {
    if (ended) {
      return Unpooled.EMPTY_BUFFER;
    }
    ended = true;
    return head == null ? farewell(code) : error(StatusCodes.ofEnd(code));
  }

  /** Returns the last event: a client that may return does so after a random time. */
  private ByteBuf farewell(int code) {
    ByteBuf last = newBuffer();
    if (positions != null) {
      positions.writeLastId(last);
    }
    if (StatusCodes.ofEnd(code).status() < 404) { // its credential is no longer valid
      EventText.event("ended", new JsonObject().put("code", CloseCode.word(code)).encode(), last);
    } else {
      EventText.retry(ThreadLocalRandom.current().nextInt(RETRY_MS), last);
    }
    return last;
  }

  @Override
  public void onPing() {
    super.onPing();
    if (head == null && !isClosing() && connection.pendingBytes() == 0) {
      connection.write(HEARTBEAT.duplicate());
      connection.flush();
    }
  }

  @Override
  protected void onEnd() {
    if (head != null) {
      head.release();
      head = null;
    }
    if (positions != null) {
      positions.discard();
    }
  }
}
