package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.internal.Frame;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okio.ByteString;

/** WebSocket server whose frames a test sends and receives one by one. */
final class ScriptedNode implements AutoCloseable {
  static final String HELLO =
      "{\"type\":\"hello\",\"node\":\"n\",\"version\":\"0\",\"time\":1000,\"broker\":\"up\","
          + "\"pingInterval\":25000,\"limits\":{\"overlap\":16},"
          + "\"features\":[\"publish-id\",\"selectors\"]%s}";
  private static final int TIMEOUT_S = 20;

  private final MockWebServer server = new MockWebServer();
  private final BlockingQueue<Session> sessions = new LinkedBlockingQueue<>();

  ScriptedNode() throws IOException {
    server.start();
  }

  String url() {
    return "ws://127.0.0.1:" + server.getPort() + "/ws";
  }

  /** Accepts one more connection. */
  ScriptedNode expect() {
    Session session = new Session();
    server.enqueue(new MockResponse.Builder().webSocketUpgrade(session).build());
    return this;
  }

  /** Accepts one more connection, with the binary encoding. */
  ScriptedNode expectBinary() {
    Session session = new Session();
    server.enqueue(
        new MockResponse.Builder()
            .webSocketUpgrade(session)
            .addHeader("Sec-WebSocket-Protocol", "sluice.v1.bin")
            .build());
    return this;
  }

  /** Answers one more connection with 503. */
  ScriptedNode refuse() {
    server.enqueue(new MockResponse.Builder().code(503).build());
    return this;
  }

  /** Returns the next connection. */
  Session accept() throws InterruptedException {
    Session session = sessions.poll(TIMEOUT_S, TimeUnit.SECONDS);
    assertThat(session).as("connection").isNotNull();
    return session;
  }

  /** Returns the next connection after its hello; checks that `connect` came first. */
  Session welcome() throws InterruptedException {
    Session session = accept();
    session.receive("connect");
    session.hello();
    return session;
  }

  @Override
  public void close() {
    server.close();
  }

  /** Connection of a client. */
  final class Session extends WebSocketListener {
    private final BlockingQueue<Frame> frames = new LinkedBlockingQueue<>();
    private WebSocket socket;

    @Override
    public void onOpen(WebSocket opened, Response response) {
      socket = opened;
      sessions.add(this);
    }

    @Override
    public void onMessage(WebSocket from, String text) {
      frames.add(Frame.parse(text));
    }

    @Override
    public void onClosing(WebSocket closing, int code, String reason) {
      frames.add(Frame.parse("{\"type\":\"closed\",\"code\":" + code + "}"));
      closing.close(code, reason);
    }

    void hello() {
      send(HELLO.formatted(""));
    }

    void send(String frame) {
      socket.send(frame);
    }

    void send(byte[] frame) {
      socket.send(ByteString.of(frame));
    }

    void close(int code) {
      socket.close(code, "test");
    }

    /** Returns the next frame, which must have this type. */
    Frame receive(String type) throws InterruptedException {
      Frame frame = next();
      assertThat(frame.type()).isEqualTo(type);
      return frame;
    }

    /** Returns whether a frame of this type was not returned yet. */
    boolean has(String type) {
      return frames.stream().anyMatch(frame -> frame.type().equals(type));
    }

    Frame next() throws InterruptedException {
      Frame frame = frames.poll(TIMEOUT_S, TimeUnit.SECONDS);
      assertThat(frame).as("frame").isNotNull();
      return frame;
    }

    /** Answers the next subscribe, and returns it. */
    Frame subscribed(String members) throws InterruptedException {
      Frame subscribe = receive("subscribe");
      send(
          "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"%s\",\"epoch\":\"e\"%s}"
              .formatted(subscribe.ref(), subscribe.text("topic"), members));
      return subscribe;
    }

    void message(int offset) {
      message(offset, offset);
    }

    /** Sends the message with a number, which is also its identity, at an offset. */
    void message(int offset, int number) {
      send(
          "{\"type\":\"message\",\"topic\":\"a\",\"offset\":%d,\"id\":\"%016x\",\"time\":1,\"payload\":\"%d\"}"
              .formatted(offset, number, number));
    }
  }
}
