package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.workload.MessageType;
import io.sluice.loadtest.broker.workload.StampedPrice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Consumer that is a client of a gateway. Threads of its HttpClient deliver messages sequentially.
 */
final class GatewayReceiver implements Receiver, WebSocket.Listener {
  private static final String SUBPROTOCOL = "sluice.v1.bin";
  private static final int KIND_MASK = 0x0f;
  private static final int MESSAGE = 0x01;
  private static final int PROPERTIES = 0x40;
  private static final int HEADER_BYTES = 20;
  private static final int TIMEOUT_SECONDS = 30;

  private final MessageType type;
  private final int destination;
  private final TrialPhase phase;
  private final Arrivals arrivals;
  private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
  private final StringBuilder text = new StringBuilder();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private WebSocket socket;
  private volatile boolean closing;

  private GatewayReceiver(MessageType type, int run, int destination, TrialPhase phase) {
    this.type = type;
    this.arrivals = new Arrivals(run);
    this.destination = destination;
    this.phase = phase;
  }

  /** Connects and waits until the subscription is active. */
  static GatewayReceiver open(
      HttpClient client,
      URI gateway,
      String topic,
      MessageType type,
      int run,
      int destination,
      TrialPhase phase)
      throws Exception {
    GatewayReceiver receiver = new GatewayReceiver(type, run, destination, phase);
    receiver.socket =
        client
            .newWebSocketBuilder()
            .subprotocols(SUBPROTOCOL)
            .buildAsync(gateway, receiver)
            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    String subscribe = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + topic + "\"}";
    receiver.socket.sendText(subscribe, true);
    receiver.subscribed.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    return receiver;
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    text.append(data);
    if (last) {
      onReply(text.toString());
      text.setLength(0);
    }
    from.request(1);
    return null;
  }

  private void onReply(String frame) {
    if (frame.contains("\"type\":\"subscribed\"")) {
      subscribed.complete(null);
    } else if (frame.contains("\"type\":\"error\"")) {
      fail(new IOException("error frame from the gateway: " + frame));
    }
  }

  @Override
  public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
    long arrived = System.nanoTime();
    byte[] part = new byte[data.remaining()];
    data.get(part);
    bytes.writeBytes(part);
    if (last) {
      onMessage(bytes.toByteArray(), arrived);
      bytes.reset();
    }
    from.request(1);
    return null;
  }

  private void onMessage(byte[] frame, long arrived) {
    if ((frame[0] & KIND_MASK) != MESSAGE) {
      return;
    }
    StampedPrice content = type.read(frame, payloadStart(frame));
    arrivals.add(content.stamp(), arrived, System.nanoTime());
  }

  private static int payloadStart(byte[] frame) {
    if ((frame[0] & PROPERTIES) == 0) {
      return HEADER_BYTES;
    }
    int length = (frame[HEADER_BYTES] & 0xff) << 8 | frame[HEADER_BYTES + 1] & 0xff;
    return HEADER_BYTES + 2 + length;
  }

  @Override
  public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    fail(new IOException("the gateway closed a consumer's connection: " + code + " " + reason));
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    fail(new IOException("a consumer's connection to the gateway failed: " + error, error));
  }

  private void fail(IOException reason) {
    subscribed.completeExceptionally(reason);
    if (!closing) {
      phase.fail(reason);
    }
  }

  @Override
  public int destination() {
    return destination;
  }

  @Override
  public Arrivals arrivals() {
    return arrivals;
  }

  @Override
  public void close() {
    closing = true;
    socket.abort();
  }
}
