package io.sluice.gateway.compression;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.util.Random;

/**
 * Client that subscribes again and again to one topic until it has received the last message. It
 * checks the content of each message, and that offsets have no hole without a gap. Bound to its
 * thread.
 */
final class Reader extends Thread {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SLOW_CONSUMER = 4000;
  private static final long NONE = -1;

  private final Scene scene;
  private final Encoding encoding;
  private final String extensions;
  private final boolean slow;
  private final Random random;
  private String position;
  private String epoch;
  private long offset = NONE;
  private boolean seenLast;
  volatile Throwable failure;
  volatile int connections;
  volatile long messages;
  volatile long compressed;

  /** Topic with the messages of one run. For any thread. */
  record Scene(int port, String topic, long last, Progress progress) {}

  /**
   * @param extensions offered extensions, or null
   * @param slow whether the client stops reading from time to time
   */
  Reader(Scene scene, Encoding encoding, String extensions, boolean slow, long seed) {
    super("reader " + seed + (slow ? ", slow" : "") + ", " + encoding + ", " + extensions);
    this.scene = scene;
    this.encoding = encoding;
    this.extensions = extensions;
    this.slow = slow;
    this.random = new Random(seed);
  }

  @Override
  public void run() {
    try {
      while (!seenLast) {
        connect();
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void connect() {
    RawWebSocket.Request request = RawWebSocket.to("127.0.0.1", scene.port(), "/ws");
    request.subprotocols(
        encoding.isBinary() ? Encoding.BINARY_SUBPROTOCOL : Encoding.JSON_SUBPROTOCOL);
    if (extensions != null) {
      request.set("Sec-WebSocket-Extensions", extensions);
    }
    if (slow) {
      request.receiveBuffer(4096);
    }
    connections++;
    int left = 1 + random.nextInt(scene.last() > 100_000 ? 40_000 : 4_000);
    try (RawWebSocket socket = request.open()) {
      socket.text(
          "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"%s\",\"from\":%s}"
              .formatted(scene.topic(), from()));
      offset = NONE;
      while (!seenLast && (left-- > 0 || isNearEnd()) && readOne(socket)) {
        if (slow && random.nextInt(500) == 0) {
          stopReading();
        }
      }
    }
  }

  // Only the last connection waits for messages that may be published long after.
  private boolean isNearEnd() {
    return scene.progress().published() >= scene.last();
  }

  private String from() {
    if (position != null && random.nextInt(4) > 0) {
      return position;
    }
    return switch (random.nextInt(3)) {
      case 0 -> "\"snapshot\"";
      case 1 -> "{\"last\":" + (1 + random.nextInt(300)) + "}";
      default -> isNearEnd() ? "{\"last\":1}" : "\"now\"";
    };
  }

  /** Reads one message; returns whether the connection continues. */
  private boolean readOne(RawWebSocket socket) {
    ServerFrame frame = frame(socket);
    if (frame == null) {
      return false;
    }
    compressed += frame.rsv() == 4 ? 1 : 0;
    switch (frame.opcode()) {
      case ClientFrame.TEXT -> onText(socket.inflate(frame).text());
      case ClientFrame.BINARY -> onBinary(BinaryMessage.read(socket.inflate(frame).payload()));
      case ClientFrame.PING -> socket.send(ClientFrame.of(ClientFrame.PONG, frame.payload()));
      case ClientFrame.CLOSE -> {
        if (frame.closeCode() != SLOW_CONSUMER) {
          throw new AssertionError("closed with " + frame.closeCode() + frame.closeReason());
        }
        return false;
      }
      default -> throw new AssertionError("opcode " + frame.opcode());
    }
    return true;
  }

  // The node resets the connection of a slow client that does not read the close frame in time.
  private ServerFrame frame(RawWebSocket socket) {
    try {
      return socket.readFrame();
    } catch (UncheckedIOException e) {
      if (slow && e.getCause() instanceof SocketException) {
        return null;
      }
      throw e;
    }
  }

  private void onText(String text) {
    JsonNode frame = json(text);
    switch (frame.get("type").asText()) {
      case "subscribed" -> {
        epoch = frame.get("epoch").asText();
        long end = frame.get("offset").asLong();
        boolean replays = frame.path("replay").asInt() > 0;
        offset = replays ? NONE : end;
      }
      case "gap" -> offset = NONE;
      case "message" -> onMessage(frame.get("offset").asLong(), frame.get("payload").asText());
      case "error" -> throw new AssertionError(text);
      default -> {
        // no message
      }
    }
  }

  private void onBinary(BinaryMessage message) {
    onMessage(message.offset(), message.text());
  }

  private void onMessage(long at, String payload) {
    if (offset != NONE && at != offset + 1) {
      throw new AssertionError("offset " + at + " behind " + offset);
    }
    offset = at;
    messages++;
    long number = Quotes.checkedNumber(payload);
    seenLast = number == scene.last();
    position = "{\"epoch\":\"%s\",\"offset\":%d,\"ids\":[]}".formatted(epoch, at);
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + text, e);
    }
  }

  // Until further messages are published, which the node then has to queue or discard.
  private void stopReading() {
    long until = Math.min(scene.last(), scene.progress().published() + 1 + random.nextInt(3_000));
    scene.progress().await(until);
  }
}
