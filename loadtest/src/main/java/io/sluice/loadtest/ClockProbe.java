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

/** Asks a gateway for its time and its version, through a WebSocket as clients have. */
final class ClockProbe {
  private static final int PINGS = 20;
  private static final double NANOS_PER_MICRO = 1000;
  private static final int MICROS_PER_MILLI = 1000;

  private ClockProbe() {}

  /**
   * What the gateway said.
   *
   * @param version of the gateway
   */
  record Answer(ClockOffset clock, String version) {}

  /**
   * Asks several times, and takes the quickest answer.
   *
   * @throws IOException if the gateway does not answer; the message says why
   */
  static Answer ask(GatewayTarget target, Duration patience)
      throws IOException, InterruptedException {
    Frames frames = new Frames();
    WebSocket socket = connect(target, frames, patience);
    try {
      target.connectFrame().ifPresent(frame -> socket.sendText(frame, true).join());
      ClockOffset best = null;
      String version = "";
      for (int ref = 1; ref <= PINGS; ref++) {
        long sent = Span.unixNanos();
        socket.sendText("{\"type\":\"ping\",\"ref\":" + ref + "}", true).join();
        Frame pong = frames.await("pong", patience);
        version = frames.version;
        ClockOffset offset = offset(sent, pong.unixNanos, pong.json.path("time").asLong());
        if (best == null || offset.uncertaintyMicros() < best.uncertaintyMicros()) {
          best = offset;
        }
      }
      return new Answer(best, version);
    } finally {
      socket.abort();
    }
  }

  /** The gateway's time has whole milliseconds, and was taken at any moment in between. */
  static ClockOffset offset(long sentUnixNanos, long receivedUnixNanos, long gatewayUnixMillis) {
    double middle = (sentUnixNanos / 2 + receivedUnixNanos / 2) / NANOS_PER_MICRO;
    double roundTrip = (receivedUnixNanos - sentUnixNanos) / NANOS_PER_MICRO;
    double gateway = (gatewayUnixMillis + 0.5) * MICROS_PER_MILLI;
    return new ClockOffset(gateway - middle, roundTrip / 2 + MICROS_PER_MILLI);
  }

  private static WebSocket connect(GatewayTarget target, Frames frames, Duration patience)
      throws IOException, InterruptedException {
    try {
      return HttpClient.newHttpClient()
          .newWebSocketBuilder()
          .subprotocols("sluice.v1.json")
          .connectTimeout(patience)
          .buildAsync(URI.create(target.url()), frames)
          .get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(target.url() + " takes no WebSocket: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new IOException(target.url() + " does not answer", e);
    }
  }

  private record Frame(JsonNode json, long unixNanos) {}

  /** The frames that come; the receiver's thread adds, ours takes. */
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
        throw new IllegalStateException("the gateway sent no JSON: " + text, e);
      }
    }

    Frame await(String type, Duration patience) throws IOException, InterruptedException {
      while (true) {
        Frame frame = queue.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (frame == null) {
          throw new IOException("the gateway sends no " + type);
        }
        String came = frame.json.path("type").asText();
        if (came.equals("hello")) {
          version = frame.json.path("version").asText();
        } else if (came.equals("close")) {
          throw new IOException("the gateway closed with " + frame.json.path("code").asInt());
        } else if (came.equals(type)) {
          return frame;
        }
      }
    }
  }
}
