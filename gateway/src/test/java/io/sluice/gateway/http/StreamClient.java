package io.sluice.gateway.http;

import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Client whose inbound stream is read at a configured pace and checked by a separate thread. The
 * methods are for the test's thread.
 */
final class StreamClient implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** End of a client's inbound stream. */
  enum Ending {
    /** After a close frame, as required. */
    CLOSED,
    /** Between two frames. */
    CUT,
    /** Inside a frame. */
    TORN,
    /** By a network error. */
    RESET
  }

  private final String name;
  private final StreamCheck check;
  private final RawWebSocket socket;
  private final Thread reader;
  private int nextRef = 1;
  private volatile Throwable failure;
  private volatile Ending ending;

  private StreamClient(String name, RawWebSocket socket, StreamCheck check) {
    this.name = name;
    this.check = check;
    this.socket = socket;
    this.reader = new Thread(this::read, name);
    reader.start();
  }

  /** Connects with an encoding and begins to read. */
  static StreamClient open(
      String name, RawWebSocket.Request request, Encoding encoding, Pace pace, StreamCheck check) {
    request.timeout(TIMEOUT).reading(pace::of);
    request.subprotocols(
        encoding.isBinary() ? Encoding.BINARY_SUBPROTOCOL : Encoding.JSON_SUBPROTOCOL);
    if (encoding.isDeflated()) {
      request.deflate();
    }
    return new StreamClient(name, request.open(), check);
  }

  private void read() {
    try {
      for (ServerFrame frame = socket.readFrame(); frame != null; frame = socket.readFrame()) {
        check.onFrame(frame);
      }
      ending = check.closeCode() == 0 ? Ending.CUT : Ending.CLOSED;
    } catch (UncheckedIOException e) {
      ending = e.getCause() instanceof EOFException ? Ending.TORN : Ending.RESET;
    } catch (RuntimeException | AssertionError e) {
      failure = e;
    }
  }

  StreamCheck check() {
    return check;
  }

  /** Sends a subscription without waiting for the reply. */
  void ask(String topic) {
    int ref = nextRef++;
    check.asksSubscribe(ref, topic);
    socket.text("{\"type\":\"subscribe\",\"ref\":" + ref + ",\"topic\":\"" + topic + "\"}");
  }

  /** Subscribes to topics and waits for the replies. */
  StreamClient subscribe(Iterable<String> topics) {
    topics.forEach(this::ask);
    topics.forEach(topic -> await("subscribed to " + topic, () -> check.isSubscribed(topic)));
    return this;
  }

  void unsubscribe(String topic) {
    int ref = nextRef++;
    check.asksUnsubscribe(ref, topic);
    socket.text("{\"type\":\"unsubscribe\",\"ref\":" + ref + ",\"topic\":\"" + topic + "\"}");
  }

  void ping() {
    String payload = "ping " + nextRef++;
    check.pings(payload);
    socket.ping(payload);
  }

  void pingBySluice() {
    int ref = nextRef++;
    check.asksPong(ref);
    socket.text("{\"type\":\"ping\",\"ref\":" + ref + "}");
  }

  void sendClose(int code) {
    socket.sendClose(code, "");
  }

  void endOutput() {
    socket.endOutput();
  }

  /** Waits until a subscription has received its message of this offset. */
  void awaitOffset(String subscription, long offset) {
    await(subscription + " up to " + offset, () -> check.isAt(subscription, offset));
  }

  /** Waits until every request has a reply. */
  void awaitAnswers() {
    await("all answers", check::isAnswered);
  }

  /** Waits for the end of the stream. */
  Ending awaitEnding() {
    await("the end", () -> ending != null);
    return ending;
  }

  private void await(String what, BooleanSupplier condition) {
    try {
      Awaitility.await()
          .atMost(TIMEOUT)
          .pollInterval(Duration.ofMillis(5))
          .until(
              () -> {
                boolean over = condition.getAsBoolean();
                throwFailure();
                if (!over && ending != null) {
                  throw new AssertionError(this + " ended: " + ending + ", before: " + what);
                }
                return over;
              });
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(this + " waits for: " + what, e);
    }
  }

  /** Throws the first violation found in the stream. */
  void throwFailure() {
    if (failure != null) {
      throw new AssertionError(this + ": " + failure.getMessage(), failure);
    }
  }

  @Override
  public String toString() {
    return name + ", " + check;
  }

  /** Closes the connection in any state. */
  @Override
  public void close() {
    socket.close();
    reader.interrupt();
    try {
      reader.join(TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
