package io.sluice.gateway.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers once the clients' event loops have. Bound to the admin event loop. */
final class Waits {
  private static final Logger log = LoggerFactory.getLogger(Waits.class);
  private static final long LIMIT_SECONDS = 10;

  private final Vertx vertx;

  Waits(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Runs on the admin event loop what answers; if nothing comes in time, 504 is the answer. */
  <T> void answer(HttpServerRequest request, CompletionStage<T> stage, Consumer<T> then) {
    answer(request, stage, then, () -> {});
  }

  /**
   * The same.
   *
   * @param late runs before the answer if nothing comes in time
   */
  <T> void answer(
      HttpServerRequest request, CompletionStage<T> stage, Consumer<T> then, Runnable late) {
    CompletionStage<T> limited =
        stage.toCompletableFuture().copy().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS);
    Future.fromCompletionStage(limited, vertx.getOrCreateContext())
        .onSuccess(then::accept)
        .onFailure(
            cause -> {
              log.atError().setCause(cause).log("admin.unanswered");
              late.run();
              Answers.text(request, 504, "not all event loops have answered in time");
            });
  }
}
