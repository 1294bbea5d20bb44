package io.sluice.client;

import io.sluice.client.internal.BadFrameException;
import io.sluice.client.internal.BinaryDecoder;
import io.sluice.client.internal.Frame;
import io.sluice.client.internal.FrameEncoder;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okio.ByteString;

/**
 * WebSocket of a client. Any thread may send; events arrive on the thread that reads the socket,
 * which passes answers to their futures, and everything else to the {@link Events}.
 */
final class Connection extends WebSocketListener {
  /** Close code of a connection that has ended without one. */
  static final int ABNORMAL = 1006;

  static final int NORMAL = 1000;
  private static final Set<String> BEFORE_HELLO = Set.of("redirect", "error");
  private static final String SUBPROTOCOL = "Sec-WebSocket-Protocol";
  private static final int MAX_RETRY_AFTER_S = 60;
  private static final int MAX_DIGITS = 9;

  /** Receiver of the events of a connection. */
  interface Events {
    /** Called when the socket is open; it sends the first frame. */
    void onSocket(Connection connection);

    /** Called for each frame that is not an answer of {@link Connection#call}. */
    void onFrame(Connection connection, Frame frame);

    /** Called once when the connection has ended. */
    void onEnd(Connection connection, End end);
  }

  /** End of a connection: close code, reason, and the wait that the node requests. */
  record End(int code, String reason, long retryAfterMs) {}

  final String url;
  private final Encoding encoding;

  /** Confined to the thread that reads the socket. */
  private final BinaryDecoder decoder = new BinaryDecoder();

  private volatile Events events;
  private final Map<Long, CompletableFuture<Frame>> answers = new ConcurrentHashMap<>();
  private final AtomicBoolean isEnded = new AtomicBoolean();
  private volatile WebSocket socket;
  private volatile Frame hello;
  private volatile long helloAt;
  private volatile boolean isBinary;
  private volatile boolean isStale;

  Connection(String url, Encoding encoding, Events events) {
    this.url = url;
    this.encoding = encoding;
    this.events = events;
  }

  /** Opens the socket. */
  void open(OkHttpClient http) {
    Request request =
        new Request.Builder().url(url).header(SUBPROTOCOL, encoding.subprotocol).build();
    socket = http.newWebSocket(request, this);
  }

  /** Passes later events to another receiver. */
  void setEvents(Events receiver) {
    events = receiver;
  }

  /** Returns the node's hello; null before it. */
  Frame hello() {
    return hello;
  }

  /** Returns the milliseconds since the hello; 0 before it. */
  long uptimeMs() {
    return hello == null ? 0 : (System.nanoTime() - helloAt) / 1_000_000;
  }

  /** Returns the node's time, estimated from its hello. */
  long nodeTime() {
    return hello.number("time") + uptimeMs();
  }

  int overlap() {
    return (int) hello.object("limits").number("overlap");
  }

  boolean hasFeature(String name) {
    return hello.lists("features", name);
  }

  /** Returns whether the node has no broker, as its last frame about that says. */
  boolean isStale() {
    return isStale;
  }

  boolean isIdle() {
    return answers.isEmpty();
  }

  boolean isEnded() {
    return isEnded.get();
  }

  /** Sends a frame. A connection that has ended drops it. */
  boolean send(Map<String, Object> frame) {
    if (isEnded.get()) {
      return false;
    }
    byte[] binary = isBinary ? FrameEncoder.binary(frame) : null;
    return binary == null
        ? socket.send(FrameEncoder.text(frame))
        : socket.send(ByteString.of(binary));
  }

  /** Sends a frame with a ref, and returns its answer. Fails with {@code connection-lost}. */
  CompletableFuture<Frame> call(long ref, Map<String, Object> frame) {
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    answers.put(ref, answer);
    if (!send(frame) || isEnded.get()) {
      answers.remove(ref);
      answer.completeExceptionally(lost());
    }
    return answer;
  }

  /** Forgets a call whose time is over. */
  void forget(long ref) {
    answers.remove(ref);
  }

  /** Closes the connection; its end is not reported. */
  void close() {
    if (isEnded.compareAndSet(false, true)) {
      socket.close(NORMAL, null);
      failAnswers();
    }
  }

  /** Ends the connection because of a failure. */
  void fail(String reason) {
    socket.cancel();
    end(new End(ABNORMAL, reason, 0));
  }

  @Override
  public void onOpen(WebSocket opened, Response response) {
    socket = opened;
    isBinary = Encoding.BINARY.subprotocol.equals(response.header(SUBPROTOCOL));
    events.onSocket(this);
  }

  @Override
  public void onMessage(WebSocket from, String text) {
    receive(
        () -> {
          Frame frame = Frame.parse(text);
          if (isBinary) {
            decoder.observe(frame);
          }
          return frame;
        });
  }

  @Override
  public void onMessage(WebSocket from, ByteString bytes) {
    receive(
        () -> {
          if (!isBinary || hello == null) {
            throw new BadFrameException("binary frame before hello or without sluice.v1.bin");
          }
          return decoder.decode(bytes.asByteBuffer(), nodeTime());
        });
  }

  private void receive(Supplier<Frame> parser) {
    if (isEnded.get()) {
      return;
    }
    try {
      Frame frame = parser.get();
      if (frame != null) {
        onFrame(frame);
      }
    } catch (BadFrameException e) {
      if (hello == null) {
        fail(e.getMessage());
      } else {
        // It may have been a message; after a reconnect the same frame would follow.
        events.onFrame(this, Frame.unreadable(e, e.members()));
      }
    }
  }

  private void onFrame(Frame frame) {
    if (frame.type().equals("hello")) {
      onHello(frame);
    } else if (hello == null && !BEFORE_HELLO.contains(frame.type())) {
      throw new BadFrameException(frame.type() + " must follow hello");
    }
    observe(frame);
    CompletableFuture<Frame> answer = frame.has("ref") ? answers.remove(frame.ref()) : null;
    if (answer == null) {
      events.onFrame(this, frame);
    } else if (frame.type().equals("error")) {
      answer.completeExceptionally(error(frame));
    } else {
      answer.complete(frame);
    }
  }

  private void observe(Frame frame) {
    switch (frame.type()) {
      case "hello":
        isStale = "down".equals(frame.optionalText("broker"));
        break;
      case "stale":
      case "live":
        isStale = frame.type().equals("stale");
        break;
      default:
    }
  }

  private void onHello(Frame frame) {
    frame.number("time");
    frame.object("limits").number("overlap");
    helloAt = System.nanoTime();
    hello = frame;
  }

  @Override
  public void onClosing(WebSocket closing, int code, String reason) {
    closing.close(NORMAL, null);
    end(new End(code, reason, 0));
  }

  @Override
  public void onFailure(WebSocket failed, Throwable cause, Response response) {
    end(new End(ABNORMAL, String.valueOf(cause.getMessage()), retryAfterMs(response)));
  }

  /** Returns the Retry-After of a refusal in milliseconds; 0 without one in whole seconds. */
  static long retryAfterMs(Response response) {
    String value = response == null ? null : response.header("Retry-After");
    if (value == null || !value.matches("[0-9]+")) {
      return 0;
    }
    long seconds = value.length() > MAX_DIGITS ? MAX_RETRY_AFTER_S : Long.parseLong(value);
    return 1_000 * Math.min(seconds, MAX_RETRY_AFTER_S);
  }

  private void end(End end) {
    if (isEnded.compareAndSet(false, true)) {
      failAnswers();
      events.onEnd(this, end);
    }
  }

  private void failAnswers() {
    for (Long ref : answers.keySet()) {
      CompletableFuture<Frame> answer = answers.remove(ref);
      if (answer != null) {
        answer.completeExceptionally(lost());
      }
    }
  }

  private static SluiceException lost() {
    return new SluiceException("connection-lost", "the connection ended before the answer");
  }

  static SluiceException error(Frame frame) {
    return new SluiceException(frame.text("code"), frame.text("message"));
  }

  /** Returns the result of a supplier, or reports its failure as {@code no-token}. */
  static String token(Supplier<String> supplier) {
    try {
      return supplier.get();
    } catch (LoggedOutException e) {
      throw new SluiceException(SluiceException.LOGGED_OUT, e.getMessage(), e);
    } catch (Throwable e) { // Kotlin has no checked exceptions
      throw new SluiceException("no-token", "the supplier of tokens failed: " + e, e);
    }
  }
}
