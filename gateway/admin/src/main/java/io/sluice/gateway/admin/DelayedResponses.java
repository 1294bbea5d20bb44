package io.sluice.gateway.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delayed responses, sent when the clients' event loops or the broker have responded. Admin event
 * loop.
 */
final class DelayedResponses {
  private static final Logger log = LoggerFactory.getLogger(DelayedResponses.class);
  private static final long TIMEOUT_SECONDS = 10;

  private final Vertx vertx;
  private final String missing;

  /** Creates responses that wait for the clients' event loops. */
  DelayedResponses(Vertx vertx) {
    this(vertx, "not all event loops responded");
  }

  /**
   * Creates responses that wait for something else.
   *
   * @param missing message of a timeout, without the time
   */
  DelayedResponses(Vertx vertx, String missing) {
    this.vertx = vertx;
    this.missing = missing;
  }

  /** Runs an action that responds when the stage completes; responds with 504 after a timeout. */
  <T> void answer(HttpServerRequest request, CompletionStage<T> stage, Consumer<T> then) {
    answer(request, stage, then, () -> {});
  }

  /**
   * Runs an action that responds when the stage completes; responds with 504 after a timeout.
   *
   * @param late action that runs before the response after a timeout
   */
  <T> void answer(
      HttpServerRequest request, CompletionStage<T> stage, Consumer<T> then, Runnable late) {
    CompletionStage<T> limited =
        stage.toCompletableFuture().copy().orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    Future.fromCompletionStage(limited, vertx.getOrCreateContext())
        .onSuccess(then::accept)
        .onFailure(
            cause -> {
              log.atError().setCause(cause).log("admin.unanswered");
              late.run();
              Responses.text(request, 504, missing + " within " + TIMEOUT_SECONDS + " s");
            });
  }
}
