package io.sluice.gateway.streams.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolClient;
import io.sluice.gateway.socket.ResponseHead;
import io.sluice.gateway.streams.route.EventText;
import io.sluice.gateway.streams.route.Repeats;
import io.sluice.gateway.streams.route.StatusCodes;
import io.sluice.gateway.streams.route.StreamRequest;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Client of Durable Streams that receives a topic as events. Bound to the event loop of its
 * connection.
 *
 * <p>Messages arrive as records, which {@link SharedEvents} converts once for all clients of the
 * loop. A gap is an element of an array; of text and bytes it ends the response, and the client's
 * next request is answered with 410.
 */
final class DurableEventStream extends ProtocolClient {
  private static final ByteBuf HEARTBEAT =
      Unpooled.unreleasableBuffer(
          Unpooled.directBuffer(4)
              .writeBytes(":\n\n".getBytes(StandardCharsets.US_ASCII))
              .asReadOnly());

  /** Time that the broker has to answer. */
  private static final long ANSWER_MS = 20_000;

  private final StreamRequest request;
  private final Credential credential;
  private final ReadQuery query;
  private final Start start;
  private final PayloadView view;
  private final SharedEvents shared;
  private final long leastCursor;

  private String epoch;

  /** Position behind what was sent; null before the response has begun. */
  private String next;

  private long missing;
  private long toSkip;
  private boolean refused;

  DurableEventStream(
      Connection connection,
      StreamRequest request,
      Credential credential,
      ReadQuery query,
      Start start,
      PayloadView view,
      SharedEvents shared) {
    super(request.exchange().loop(), connection);
    this.request = request;
    this.credential = credential;
    this.query = query;
    this.start = start;
    this.view = view;
    this.shared = shared;
    this.leastCursor =
        StreamCursor.next(
            query.cursor(), System.currentTimeMillis(), ThreadLocalRandom.current()::nextInt);
  }

  @Override
  public void onOpen() {
    open(loop.encoding(RecordFormat.INSTANCE), credential, ReadClient.CONNECT);
    give(ReadClient.subscribe(request.name(), start), request.name().length());
    executeLater(this::onTimeout, ANSWER_MS);
  }

  private void onTimeout() {
    if (next == null) {
      refuse(Refusal.unavailable("broker-unavailable", "the broker has not answered in time"));
    }
  }

  @Override
  protected void onFrame(String type, JsonObject frame) {
    switch (type) {
      case "subscribed" -> onSubscribed(frame);
      case "gap" -> onGap(frame);
      case "error" -> onError(frame);
      case "draining", "redirect" -> later(() -> close(CloseCode.DRAINING));
      default -> {} // of no meaning to these clients
    }
  }

  private void onSubscribed(JsonObject frame) {
    if (!frame.getBoolean("recovered", true)) {
      refuse(ReadProgress.NOT_RECOVERED);
      return;
    }
    epoch = frame.getString("epoch");
    int repeats = Repeats.of(start, frame);
    missing = frame.getLong("replay", 0L);
    toSkip = query.place() == ReadQuery.Place.TAIL ? missing : 0;
    next =
        query.place() == ReadQuery.Place.OFFSET
            ? query.offset()
            : PositionText.of(epoch, frame.getLong("offset"));
    ByteBuf head = ResponseHead.encode("200 OK", headers());
    if (missing == 0) {
      DurableEventText.control(next, cursor(), true, head);
    }
    if (repeats > 0) {
      EventText.event("repeat", new JsonObject().put("messages", repeats).encode(), head);
    }
    sendLast(head);
  }

  private Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>(HttpAnswer.SECURITY);
    headers.put("Content-Type", "text/event-stream");
    headers.put("Cache-Control", "no-cache, no-transform");
    headers.put("X-Accel-Buffering", "no");
    headers.put("Connection", "close");
    if (view == PayloadView.BYTES) {
      headers.put("Stream-SSE-Data-Encoding", "base64");
    }
    return request.headers(headers);
  }

  private long cursor() {
    return Math.max(leastCursor, StreamCursor.current(System.currentTimeMillis()));
  }

  @Override
  protected void onMessages(ByteBuf records) {
    ByteBuf rest = records.slice();
    while (toSkip > 0 && rest.isReadable()) {
      MessageRecord message = new MessageRecord(rest);
      next = message.position();
      message.pass();
      toSkip--;
      if (--missing == 0) {
        ByteBuf control = newBuffer();
        DurableEventText.control(next, cursor(), true, control);
        sendLast(control);
      }
    }
    if (rest.isReadable()) {
      missing -= MessageRecord.count(rest);
      connection.write(shared.of(view, rest, missing <= 0, cursor()));
      next = shared.next();
    }
  }

  private void onGap(JsonObject frame) {
    if (next == null) {
      return;
    }
    ByteBuf events = newBuffer();
    EventText.event("gap", frame.encode(), events);
    if (view.isArray()) {
      epoch = frame.getString("epoch", epoch);
      next = PositionText.of(epoch, frame.getLong("offset"));
      DurableEventText.data(
          view, ("[" + frame.encode() + "]").getBytes(StandardCharsets.UTF_8), events);
      DurableEventText.control(next, cursor(), true, events);
    }
    sendLast(events);
    if (!view.isArray()) {
      later(() -> close(CloseCode.NORMAL));
    }
  }

  private void onError(JsonObject frame) {
    if (next == null) {
      refuse(StatusCodes.refusal(frame.getString("code"), frame.getString("message")));
    } else {
      later(() -> close(CloseCode.NORMAL));
    }
  }

  private static ByteBuf newBuffer() {
    return PooledByteBufAllocator.DEFAULT.directBuffer(512);
  }

  /** Answers with an error instead of events. */
  private void refuse(Refusal refusal) {
    if (!refused) {
      sendRefusal(refusal);
      later(() -> close(CloseCode.NORMAL));
    }
  }

  private void sendRefusal(Refusal refusal) {
    refused = true;
    sendLast(ResponseHead.encode(refusal, request.headers(Map.of("Connection", "close"))));
  }

  @Override
  protected void onClosing(CloseCode code) {
    if (next == null && !refused) {
      sendRefusal(StatusCodes.ofEnd(code.code()));
    }
    connection.close(code);
  }

  @Override
  public void onPing() {
    super.onPing();
    if (next != null && !isClosing() && connection.pendingBytes() == 0) {
      connection.write(HEARTBEAT.duplicate());
      connection.flush();
    }
  }
}
