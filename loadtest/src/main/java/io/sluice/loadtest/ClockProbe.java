package io.sluice.loadtest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Query of a gateway's time and version through a client WebSocket. Any thread may call it. */
final class ClockProbe {
  private static final int PINGS = 20;
  private static final double NANOS_PER_MICRO = 1000;
  private static final int MICROS_PER_MILLI = 1000;

  private ClockProbe() {}

  /**
   * Result of the query.
   *
   * @param clock offset of the gateway's clock
   * @param version of the gateway
   */
  record Result(ClockOffset clock, String version) {}

  /**
   * Sends several pings and uses the reply with the shortest round trip.
   *
   * @throws IOException if the gateway does not reply; the message contains the reason
   */
  static Result probe(GatewayTarget target, Duration timeout)
      throws IOException, InterruptedException {
    Frames frames = new Frames();
    WebSocket socket = connect(target, frames, timeout);
    try {
      target.connectFrame().ifPresent(frame -> socket.sendText(frame, true).join());
      ClockOffset best = null;
      String version = "";
      for (int ref = 1; ref <= PINGS; ref++) {
        long sent = Span.unixNanos();
        socket.sendText("{\"type\":\"ping\",\"ref\":" + ref + "}", true).join();
        Frame pong = frames.await("pong", timeout);
        version = frames.version;
        ClockOffset offset = offset(sent, pong.unixNanos, pong.json.path("time").asLong());
        if (best == null || offset.uncertaintyMicros() < best.uncertaintyMicros()) {
          best = offset;
        }
      }
      return new Result(best, version);
    } finally {
      socket.abort();
    }
  }

  /**
   * Returns the clock offset. The gateway's time has whole milliseconds and was read at an unknown
   * moment between sending and receiving.
   */
  static ClockOffset offset(long sentUnixNanos, long receivedUnixNanos, long gatewayUnixMillis) {
    double middle = (sentUnixNanos / 2 + receivedUnixNanos / 2) / NANOS_PER_MICRO;
    double roundTrip = (receivedUnixNanos - sentUnixNanos) / NANOS_PER_MICRO;
    double gateway = (gatewayUnixMillis + 0.5) * MICROS_PER_MILLI;
    return new ClockOffset(gateway - middle, roundTrip / 2 + MICROS_PER_MILLI);
  }

  private static WebSocket connect(GatewayTarget target, Frames frames, Duration timeout)
      throws IOException, InterruptedException {
    try {
      return HttpClient.newHttpClient()
          .newWebSocketBuilder()
          .subprotocols("sluice.v1.json")
          .connectTimeout(timeout)
          .buildAsync(URI.create(target.url()), frames)
          .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(target.url() + " did not accept a WebSocket: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new IOException(
          target.url() + " did not respond within " + timeout.toSeconds() + " s", e);
    }
  }

  private record Frame(JsonNode json, long unixNanos) {}

  /** Queue of received frames. The WebSocket's thread adds; the calling thread removes. */
  private static final class Frames implements WebSocket.Listener {
    private final ObjectMapper mapper = new ObjectMapper();
    private final BlockingQueue<Frame> queue = new LinkedBlockingQueue<>();
    private final StringBuilder partial = new StringBuilder();
    private String version = "";

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      long now = Span.unixNanos();
      partial.append(data);
      if (last) {
        queue.add(new Frame(read(partial.toString()), now));
        partial.setLength(0);
      }
      socket.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      JsonNode close = mapper.createObjectNode().put("type", "close").put("code", code);
      queue.add(new Frame(close, 0));
      return null;
    }

    private JsonNode read(String text) {
      try {
        return mapper.readTree(text);
      } catch (IOException e) {
        throw new IllegalStateException("the gateway sent invalid JSON: " + text, e);
      }
    }

    Frame await(String type, Duration timeout) throws IOException, InterruptedException {
      while (true) {
        Frame frame = queue.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (frame == null) {
          throw new IOException(
              "the gateway sent no " + type + " within " + timeout.toSeconds() + " s");
        }
        String received = frame.json.path("type").asText();
        if (received.equals("hello")) {
          version = frame.json.path("version").asText();
        } else if (received.equals("close")) {
          throw new IOException("the gateway closed with " + frame.json.path("code").asInt());
        } else if (received.equals(type)) {
          return frame;
        }
      }
    }
  }
}
