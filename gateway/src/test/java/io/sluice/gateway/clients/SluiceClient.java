package io.sluice.gateway.clients;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;

/**
 * Example of a client with OkHttp that implements PROTOCOL.md, section 8: it reconnects, and
 * subscriptions resume at their positions. Any thread may call it; its listeners are called on
 * OkHttp's threads, one at a time.
 */
public final class SluiceClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MIN_BACKOFF_MS = 500;
  private static final long MAX_BACKOFF_MS = 30_000;

  /** Duration after which a connection counts as successful for the backoff. */
  private static final Duration STABLE = Duration.ofSeconds(5);

  /** Interval of pings; a ping without a reply within it ends the connection. */
  private static final Duration PING_INTERVAL = Duration.ofSeconds(20);

  /** Not a code of the protocol: the connection ended without one. */
  private static final int ABNORMAL = 1006;

  private static final int DRAINING = 4100;

  private record Subscription(String topic, Continuity continuity, MessageListener listener) {}

  private final OkHttpClient http = new OkHttpClient.Builder().pingInterval(PING_INTERVAL).build();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "sluice-retry");
            thread.setDaemon(true);
            return thread;
          });
  private final Request request;
  private final Supplier<String> token;
  private final Map<String, Subscription> byTopic = new LinkedHashMap<>();

  /** Subscriptions requested on this connection, by ref. */
  private final Map<Long, Subscription> byRef = new HashMap<>();

  private Connection connection;
  private ScheduledFuture<?> retry;
  private int failures;
  private long lastRef;
  private boolean closed;

  /**
   * Connects.
   *
   * @param url such as {@code wss://example.com/ws}
   * @param token supplies a credential for each connection; null if there is none
   */
  public SluiceClient(String url, Supplier<String> token) {
    this.request =
        new Request.Builder().url(url).header("Sec-WebSocket-Protocol", "sluice.v1.json").build();
    this.token = token;
    dial();
  }

  /**
   * Subscribes to a topic or pattern, at most once each.
   *
   * @param from {@code "now"}, {@code "snapshot"}, {@code {"last":20}} or a stored position
   */
  public synchronized void subscribe(String topic, JsonNode from, MessageListener listener) {
    Subscription subscription = new Subscription(topic, new Continuity(from, listener), listener);
    if (closed || byTopic.putIfAbsent(topic, subscription) != null) {
      throw new IllegalStateException("closed, or subscribed already: " + topic);
    }
    if (connection != null && connection.isOpen) {
      ask(subscription);
    }
  }

  /**
   * Returns the position of a subscription, to be stored for a later subscribe; null if there is
   * none yet.
   */
  public synchronized JsonNode position(String topic) {
    return byTopic.get(topic).continuity.position();
  }

  /** Reconnects at once if a retry is pending; to be called when the device has a network again. */
  public synchronized void retryNow() {
    if (retry != null && retry.cancel(false)) {
      dial();
    }
  }

  /** Closes the connection for good. */
  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) {
      connection.webSocket.close(1000, null);
    }
    timer.shutdownNow();
    http.dispatcher().executorService().shutdown();
  }

  private synchronized void dial() {
    if (!closed) {
      retry = null;
      connection = new Connection();
      connection.webSocket = http.newWebSocket(request, connection);
    }
  }

  private void ask(Subscription subscription) {
    ObjectNode frame = frame("subscribe").put("ref", ++lastRef).put("topic", subscription.topic);
    JsonNode from = subscription.continuity.onSubscribe();
    if (from != null) {
      frame.set("from", from);
    }
    byRef.put(lastRef, subscription);
    connection.webSocket.send(frame.toString());
  }

  private static ObjectNode frame(String type) {
    return JSON.createObjectNode().put("type", type);
  }

  /** WebSocket of the client. Events of one that was replaced are ignored. */
  private final class Connection extends WebSocketListener {
    private WebSocket webSocket;
    private boolean isOpen;
    private int overlap;
    private long helloAt;

    @Override
    public void onOpen(WebSocket opened, Response response) {
      String credential = token == null ? null : token.get();
      synchronized (SluiceClient.this) {
        if (connection != this) {
          return;
        }
        isOpen = true;
        webSocket = opened;
        ObjectNode connect = frame("connect").put("client", "okhttp-example/1");
        opened.send((credential == null ? connect : connect.put("token", credential)).toString());
        // Subscriptions need not wait for the hello.
        byTopic.values().forEach(SluiceClient.this::ask);
      }
    }

    @Override
    public void onMessage(WebSocket from, String text) {
      synchronized (SluiceClient.this) {
        if (connection != this || closed) {
          return;
        }
        try {
          onFrame(JSON.readTree(text));
        } catch (JsonProcessingException e) {
          // Continuing without it could lose a message without notice; it is sent again after a
          // resume.
          from.cancel();
        }
      }
    }

    @Override
    public void onClosing(WebSocket closing, int code, String reason) {
      closing.close(1000, null);
      onEnd(code);
    }

    @Override
    public void onFailure(WebSocket failed, Throwable cause, Response response) {
      onEnd(ABNORMAL);
    }

    private void onFrame(JsonNode frame) {
      switch (frame.path("type").asText()) {
        case "hello" -> {
          overlap = frame.at("/limits/overlap").asInt();
          helloAt = System.nanoTime();
        }
        case "subscribed" -> onSubscribed(frame);
        case "message" -> onMessage(frame);
        case "gap" -> {
          Subscription subscription = answered(frame.get("topic"));
          if (subscription != null) {
            subscription.continuity.onGap(frame);
          }
        }
        case "caught-up" -> {
          long time = frame.get("time").asLong();
          byTopic.values().forEach(subscription -> subscription.continuity.onCaughtUp(time));
        }
        case "error" -> onError(frame);
        case "draining" -> {
          webSocket.close(1000, null);
          onEnd(DRAINING);
        }
        default -> {
          // stale, live, pong, and frames of later protocol versions
        }
      }
    }

    private void onSubscribed(JsonNode frame) {
      Subscription subscription = byRef.get(frame.path("ref").asLong());
      if (subscription != null) {
        subscription.continuity.onSubscribed(frame, overlap);
        subscription.listener.onSubscribed();
      }
    }

    private void onMessage(JsonNode frame) {
      Subscription subscription =
          answered(frame.has("pattern") ? frame.get("pattern") : frame.get("topic"));
      if (subscription != null) {
        subscription.continuity.onMessage(frame);
      }
    }

    private Subscription answered(JsonNode topic) {
      Subscription subscription = byTopic.get(topic.asText());
      return subscription != null && subscription.continuity.isAnswered() ? subscription : null;
    }

    private void onError(JsonNode frame) {
      Subscription subscription = byRef.remove(frame.path("ref").asLong());
      if (subscription != null) {
        subscription.listener.onError(frame.path("code").asText(), frame.path("message").asText());
      }
    }

    private void onEnd(int code) {
      synchronized (SluiceClient.this) {
        if (connection != this || closed) {
          return;
        }
        connection = null;
        byRef.clear();
        AfterClose next = AfterClose.of(code);
        if (next == AfterClose.DONT_RETRY) {
          refuse(code);
        } else {
          retryAfter(waitMs(next));
        }
      }
    }

    private long waitMs(AfterClose next) {
      boolean stood = helloAt != 0 && System.nanoTime() - helloAt >= STABLE.toNanos();
      failures = stood ? 0 : failures + 1;
      // Prevents a reconnect loop to a node that drains for a long time.
      boolean atOnce = next == AfterClose.RETRY_ELSEWHERE && failures == 0;
      return atOnce ? 0 : backoffMs();
    }
  }

  /** Returns a random delay up to a bound that doubles with each failure. */
  private long backoffMs() {
    long bound = MIN_BACKOFF_MS << Math.min(Math.max(0, failures - 1), 10);
    return ThreadLocalRandom.current().nextLong(Math.min(bound, MAX_BACKOFF_MS));
  }

  private void retryAfter(long waitMs) {
    retry = timer.schedule(this::dial, waitMs, TimeUnit.MILLISECONDS);
  }

  private void refuse(int code) {
    closed = true;
    String why = "the node closed the connection with " + code;
    List.copyOf(byTopic.values()).forEach(s -> s.listener.onError("closed", why));
  }
}
