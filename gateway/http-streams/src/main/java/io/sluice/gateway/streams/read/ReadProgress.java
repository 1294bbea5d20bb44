package io.sluice.gateway.streams.read;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.streams.route.Repeats;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * State of one read, from what its session sends to the response. Bound to the client's event loop.
 *
 * <p>A response ends at a gap: the header names the reason, and the array has the gap as its last
 * element. Messages after it follow in the next response.
 */
final class ReadProgress {
  /** Answer to a position that the node cannot continue. */
  static final Refusal NOT_RECOVERED =
      new Refusal(
          410,
          "not-recovered",
          "this node cannot prove which messages followed the offset: read from -1 or now",
          Map.of());

  private static final String NEXT_OFFSET = "Stream-Next-Offset";
  private static final String UP_TO_DATE = "Stream-Up-To-Date";
  private static final String TRUE = "true";

  private final ReadQuery query;
  private final Start from;
  private final MessagePage page;
  private final PageCache pages;
  private final boolean shared;
  private final List<String> knownTags;
  private final LongSupplier cursor;
  private final Consumer<HttpAnswer> onAnswer;

  /** Position of the read's start; null before the subscription is answered. */
  private String start;

  private String epoch;

  /** Messages of the replay that have not arrived. */
  private long missing;

  /** Messages of the replay that precede the start. */
  private long toSkip;

  /** Messages of the replay that the client may have received. */
  private int repeats;

  private boolean stale;
  private boolean answered;

  /**
   * @param pages bodies of the client's event loop
   * @param shared whether the responses are the same for all clients
   * @param knownTags entity tags that the client has
   * @param cursor returns the cursor of the response
   * @param onAnswer receives the response, once
   */
  ReadProgress(
      ReadQuery query,
      Start from,
      MessagePage page,
      PageCache pages,
      boolean shared,
      List<String> knownTags,
      LongSupplier cursor,
      Consumer<HttpAnswer> onAnswer) {
    this.query = query;
    this.from = from;
    this.page = page;
    this.pages = pages;
    this.shared = shared;
    this.knownTags = knownTags;
    this.cursor = cursor;
    this.onAnswer = onAnswer;
  }

  /** Processes a frame of the session other than a message. */
  void onFrame(String type, JsonObject frame) {
    switch (type) {
      case "hello" -> stale = "down".equals(frame.getString("broker"));
      case "stale" -> stale = true;
      case "live" -> stale = false;
      case "subscribed" -> onSubscribed(frame);
      case "gap" -> onGap(frame);
      case "error" -> onError(frame);
      case "draining", "redirect" -> onMove();
      default -> {} // of no meaning to a read
    }
  }

  private void onSubscribed(JsonObject frame) {
    if (!frame.getBoolean("recovered", true)) {
      answer(HttpAnswer.error(NOT_RECOVERED));
      return;
    }
    epoch = frame.getString("epoch");
    repeats = Repeats.of(from, frame);
    missing = frame.getLong("replay", 0L);
    toSkip = query.place() == ReadQuery.Place.TAIL ? missing : 0;
    start =
        query.place() == ReadQuery.Place.OFFSET
            ? query.offset()
            : PositionText.of(epoch, frame.getLong("offset"));
    if (missing == 0) {
      onCaughtUp();
    }
  }

  /** Processes records of messages; what does not fit is left to the next response. */
  void onRecords(ByteBuf records) {
    MessageRecord last = null;
    boolean fits = true;
    while (records.isReadable() && fits && !answered) {
      MessageRecord message = new MessageRecord(records);
      if (toSkip > 0) {
        toSkip--;
      } else {
        fits = page.add(message);
      }
      if (fits) {
        message.pass();
        missing--;
        last = message;
      }
    }
    if (last != null) {
      page.endAt(last);
    }
    if (missing <= 0) {
      onCaughtUp();
    } else if (!fits || page.isFull()) {
      answerPage(false, null);
    }
  }

  private void onCaughtUp() {
    if (!query.waits() || page.count() > 0) {
      answerPage(true, null);
    }
  }

  private void onGap(JsonObject frame) {
    if (start != null) {
      page.addElement(frame.encode().getBytes(StandardCharsets.UTF_8));
      epoch = frame.getString("epoch", epoch);
      start = PositionText.of(epoch, frame.getLong("offset"));
      answerPage(false, frame.getString("reason"));
    }
  }

  private void onError(JsonObject frame) {
    answer(HttpAnswer.error(frame));
  }

  private void onMove() {
    if (start != null && query.waits()) {
      answerNothing();
    }
  }

  /** Notifies that the session ends. */
  void onClosing(CloseCode code) {
    answer(HttpAnswer.error(code));
  }

  /** Notifies that the time of the request is over. */
  void onTimeout() {
    if (start != null && query.waits()) {
      answerNothing();
    } else {
      answer(HttpAnswer.error(503, "broker-unavailable", "the broker has not answered in time"));
    }
  }

  /** Returns whether the response is complete: nothing more is accepted. */
  boolean isAnswered() {
    return answered;
  }

  // A waiting client has received everything.
  private void answerNothing() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(NEXT_OFFSET, next());
    headers.put(UP_TO_DATE, TRUE);
    addLive(headers);
    answer(HttpAnswer.empty(204, headers));
  }

  private String next() {
    return page.latest() == null ? start : page.latest();
  }

  /**
   * @param gap reason of the gap at the end of the page, or null
   */
  private void answerPage(boolean complete, String gap) {
    if (answered) {
      return;
    }
    String next = gap == null ? next() : start;
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", page.view().contentType());
    headers.put(NEXT_OFFSET, next);
    if (complete) {
      headers.put(UP_TO_DATE, TRUE);
    }
    if (gap != null) {
      headers.put("Sluice-Gap", gap);
    }
    if (repeats > 0) {
      headers.put("Sluice-Repeat", Integer.toString(repeats));
    }
    addLive(headers);
    headers.put("Cache-Control", caching(complete || gap != null));
    headers.put("Vary", "Accept, Authorization, Cookie, Origin");
    boolean isTagged = query.place() != ReadQuery.Place.TAIL;
    String tag = tag(next, gap);
    if (isTagged) {
      headers.put("ETag", tag);
    }
    if (isTagged && knownTags.contains(tag)) {
      headers.remove("Content-Type");
      answer(HttpAnswer.of(304, headers, Buffer.buffer()));
    } else {
      answer(HttpAnswer.of(200, headers, pages.of(tag, page::body)));
    }
  }

  // The last message and the number of messages determine all of them.
  private String tag(String next, String gap) {
    char form = page.view().name().charAt(0);
    return '"' + next + '/' + page.count() + form + (gap == null ? "" : "g") + '"';
  }

  private void addLive(Map<String, String> headers) {
    if (query.waits()) {
      headers.put("Stream-Cursor", Long.toString(cursor.getAsLong()));
    }
    if (stale) {
      headers.put("Sluice-Stale", TRUE);
    }
  }

  // Only a full page after a position is final: later messages do not change it.
  private String caching(boolean isOpen) {
    if (query.place() == ReadQuery.Place.TAIL) {
      return "no-store";
    }
    String scope = shared ? "public" : "private";
    return isOpen || query.place() == ReadQuery.Place.BEGIN || stale
        ? scope + ", no-cache"
        : scope + ", max-age=60, stale-while-revalidate=300";
  }

  private void answer(HttpAnswer answer) {
    if (!answered) {
      answered = true;
      onAnswer.accept(answer);
    }
  }
}
