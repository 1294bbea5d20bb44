package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.LogReader;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Tails of topics as server-sent events. Bound to the admin event loop. */
public final class Tails {
  /** Maximum number of concurrent tails. */
  public static final int MAX_TAILS = 8;

  private static final String NO_SUBSCRIBER = "no client of this node subscribes to it";
  private static final long STEP_MS = 100;
  private static final long MAX_NS = TimeUnit.MINUTES.toNanos(5);

  /** Steps between two searches for the log, which closes with the last subscriber. */
  private static final int STEPS_PER_SEARCH = 20;

  private final Vertx vertx;
  private final NodeSource source;
  private final TailOptions options;
  private final Set<Stream> streams = new HashSet<>();
  private int open;

  Tails(Vertx vertx, NodeSource source, TailOptions options) {
    this.vertx = vertx;
    this.source = source;
    this.options = options;
  }

  /**
   * Starts to send a topic's messages, for at most five minutes. The last event names the reason of
   * the end.
   *
   * @param expiresMs expiry of the operator's credential, Unix milliseconds
   * @return completes with the refusal, or with null once the response has begun
   */
  public CompletionStage<Queries.Result> open(
      String topic, HttpServerResponse response, long expiresMs) {
    if (open >= MAX_TAILS) {
      return CompletableFuture.completedFuture(
          new Queries.Result(503, null, "more than " + MAX_TAILS + " concurrent tails"));
    }
    open++;
    return source
        .reader(topic)
        .thenApply(
            log -> {
              if (log == null || response.closed()) {
                open--;
                return new Queries.Result(404, null, NO_SUBSCRIBER);
              }
              new Stream(topic, log, response, expiresMs).start();
              return null;
            });
  }

  /** Ends all tails. */
  public void endAll(String reason) {
    List.copyOf(streams).forEach(stream -> stream.end(reason));
  }

  /** Response of one tail. */
  private final class Stream {
    private final String topic;
    private final HttpServerResponse response;
    private final Tail tail;
    private final long expiresMs;
    private final long endNs = System.nanoTime() + MAX_NS;
    private long timer;
    private int steps;
    private boolean ended;

    Stream(String topic, LogReader log, HttpServerResponse response, long expiresMs) {
      this.topic = topic;
      this.response = response;
      this.expiresMs = expiresMs;
      this.tail = new Tail(topic, log, options, System.nanoTime());
    }

    void start() {
      response
          .setChunked(true)
          .putHeader("Content-Type", "text/event-stream")
          .putHeader("X-Content-Type-Options", "nosniff")
          .putHeader("Cache-Control", "no-store");
      response.closeHandler(closed -> end(null));
      response.write(": tail\n\n");
      streams.add(this);
      timer = vertx.setPeriodic(STEP_MS, tick -> step());
    }

    private void step() {
      if (System.currentTimeMillis() >= expiresMs) {
        end("the token has expired");
      } else if (System.nanoTime() - endNs >= 0) {
        end("five minutes are over");
      } else if (!response.writeQueueFull()) { // later messages are counted as skipped
        write(tail.step(System.nanoTime()));
        steps++;
        if (steps % STEPS_PER_SEARCH == 0) {
          source.reader(topic).thenAccept(this::onSearched);
        }
      }
    }

    private void write(Buffer events) {
      if (events.length() > 0) {
        response.write(events);
      }
    }

    private void onSearched(LogReader found) {
      if (found == null) {
        end(NO_SUBSCRIBER);
      } else {
        tail.continueWith(found);
      }
    }

    /**
     * Ends the tail; idempotent.
     *
     * @param reason text for the operator; null if the connection is closed
     */
    private void end(String reason) {
      if (!ended) {
        ended = true;
        open--;
        streams.remove(this);
        vertx.cancelTimer(timer);
        if (!response.ended() && !response.closed()) {
          String data = new JsonObject().put("reason", reason).encode();
          response.end("event: end\ndata: " + data + "\n\n");
        }
      }
    }
  }
}
