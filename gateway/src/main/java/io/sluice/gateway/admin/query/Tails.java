package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.LogReader;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Tails of topics as server-sent events. Bound to the admin event loop. */
public final class Tails {
  /** Maximum number of concurrent tails. */
  public static final int MAX_TAILS = 8;

  private static final long STEP_MS = 100;
  private static final long MAX_NS = TimeUnit.MINUTES.toNanos(5);

  /** Steps between two searches for the log, which closes with the last subscriber. */
  private static final int STEPS_PER_SEARCH = 20;

  private final Vertx vertx;
  private final NodeSource source;
  private final TailOptions options;
  private int open;

  Tails(Vertx vertx, NodeSource source, TailOptions options) {
    this.vertx = vertx;
    this.source = source;
    this.options = options;
  }

  /**
   * Starts to send a topic's messages, for at most five minutes.
   *
   * @return completes with the refusal, or with null once the response has begun
   */
  public CompletionStage<Queries.Result> open(String topic, HttpServerResponse response) {
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
                return new Queries.Result(404, null, "no client of this node subscribes to it");
              }
              new Stream(topic, log, response).start();
              return null;
            });
  }

  /** Response of one tail. */
  private final class Stream {
    private final String topic;
    private final HttpServerResponse response;
    private final Tail tail;
    private final long endNs = System.nanoTime() + MAX_NS;
    private long timer;
    private int steps;
    private boolean ended;

    Stream(String topic, LogReader log, HttpServerResponse response) {
      this.topic = topic;
      this.response = response;
      this.tail = new Tail(topic, log, options, System.nanoTime());
    }

    void start() {
      response
          .setChunked(true)
          .putHeader("Content-Type", "text/event-stream")
          .putHeader("X-Content-Type-Options", "nosniff")
          .putHeader("Cache-Control", "no-store");
      response.closeHandler(closed -> end());
      response.write(": tail\n\n");
      timer = vertx.setPeriodic(STEP_MS, tick -> step());
    }

    private void step() {
      if (response.closed() || System.nanoTime() - endNs >= 0) {
        end();
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
        end();
      } else {
        tail.continueWith(found);
      }
    }

    private void end() {
      if (!ended) {
        ended = true;
        open--;
        vertx.cancelTimer(timer);
        if (!response.ended() && !response.closed()) {
          response.end();
        }
      }
    }
  }
}
