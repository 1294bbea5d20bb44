package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.protocol.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Result of a publish: "published", or code and reason of the refusal. Any thread. */
final class PublishOutcome implements PublishListener {
  private final CompletableFuture<String> end = new CompletableFuture<>();

  @Override
  public void onPublished() {
    end.complete("published");
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    end.complete(code.code() + ": " + why);
  }

  boolean isEnded() {
    return end.isDone();
  }

  String await() throws Exception {
    return end.get(120, TimeUnit.SECONDS);
  }
}
