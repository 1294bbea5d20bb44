package io.sluice.loadtest;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Measured clients that need no Gatling: each has one WebSocket for the duration of a run. For any
 * thread.
 */
final class MeasuredSockets implements SimulationStrategy, AutoCloseable {
  private static final int THREADS = 2;

  private final GatewayTarget target;
  private final RunTiming timing;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, daemons());
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, daemons());
  private final HttpClient http;
  private final List<Client> clients = new CopyOnWriteArrayList<>();

  MeasuredSockets(GatewayTarget target, RunTiming timing) {
    this.target = target;
    this.timing = timing;
    this.http = HttpClient.newBuilder().executor(threads).connectTimeout(timing.timeout()).build();
  }

  /** Starts to connect all measured clients of a run, each after its delay. */
  @Override
  public void connect(ActiveRun run) {
    for (int i = 0; i < run.load().measured(); i++) {
      int number = i;
      after(run.connectDelay(i), () -> connect(run, number));
    }
  }

  private void connect(ActiveRun run, int number) {
    Client client = new Client(run, run.newMeasuredStream(number, Span.unixNanos()));
    clients.add(client);
    http.newWebSocketBuilder()
        .subprotocols(target.subprotocol())
        .buildAsync(URI.create(target.url()), client)
        .whenComplete(
            (socket, failure) -> {
              if (failure != null) {
                client.disconnect(true);
              }
            });
    after(timing.timeout().multipliedBy(2), client::requireMessages);
    after(timing.connected(), () -> client.disconnect(false));
  }

  private void after(Duration delay, Runnable task) {
    timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static ThreadFactory daemons() {
    return task -> {
      Thread daemon = new Thread(task, "measured-client");
      daemon.setDaemon(true);
      return daemon;
    };
  }

  /** Disconnects all clients. */
  @Override
  public void close() {
    timer.shutdownNow();
    clients.forEach(client -> client.disconnect(false));
    threads.shutdown();
  }

  /** Connection of one measured client. Its WebSocket calls it sequentially. */
  private final class Client implements WebSocket.Listener {
    private final ActiveRun run;
    private final ClientStream stream;
    private final AtomicBoolean disconnected = new AtomicBoolean();
    private final StringBuilder text = new StringBuilder();
    private byte[] binary = new byte[0];
    private volatile WebSocket socket;

    Client(ActiveRun run, ClientStream stream) {
      this.run = run;
      this.stream = stream;
    }

    @Override
    public void onOpen(WebSocket opened) {
      socket = opened;
      if (disconnected.get()) {
        opened.abort();
        return;
      }
      opened.sendText(target.connectFrame().orElseGet(this::subscribeFrame), true);
      opened.request(1);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      long now = Span.unixNanos();
      text.append(data);
      if (last) {
        String frame = text.toString();
        text.setLength(0);
        onFrame(frame, now);
      }
      from.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
      long now = Span.unixNanos();
      int length = binary.length;
      binary = Arrays.copyOf(binary, length + data.remaining());
      data.get(binary, length, data.remaining());
      if (last) {
        byte[] frame = binary;
        binary = new byte[0];
        endAfter(!disconnected.get() && stream.onBinary(frame, now));
      }
      from.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
      disconnect(false);
      return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      disconnect(true);
    }

    private void onFrame(String frame, long now) {
      if (disconnected.get()) {
        return;
      }
      if (ControlFrame.isOfType(frame, "hello")) {
        if (target.connectFrame().isPresent()) {
          socket.sendText(subscribeFrame(), true);
        }
      } else if (ControlFrame.isOfType(frame, "subscribed")) {
        stream.onSubscribed(now);
      } else {
        endAfter(stream.onText(frame, now));
      }
    }

    private void endAfter(boolean isOver) {
      if (isOver) {
        disconnect(false);
      }
    }

    private String subscribeFrame() {
      return "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + stream.topic() + "\"}";
    }

    void requireMessages() {
      if (!stream.isReceiving()) {
        disconnect(true);
      }
    }

    void disconnect(boolean failed) {
      if (!disconnected.compareAndSet(false, true)) {
        return;
      }
      run.onMeasuredDisconnected(stream, failed, Span.unixNanos());
      WebSocket open = socket;
      if (open != null) {
        open.abort();
      }
    }
  }
}
