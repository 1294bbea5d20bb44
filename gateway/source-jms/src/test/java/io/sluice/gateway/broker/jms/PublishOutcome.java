package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.protocol.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Result of a publish: "published", or the code of the refusal. Any thread. */
final class PublishOutcome implements PublishListener {
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private final Requester requester;

  /** Creates the outcome of a publish of the node. */
  PublishOutcome() {
    this(Requester.NODE.user());
  }

  /** Creates the outcome of a publish of a user. */
  PublishOutcome(String user) {
    this.requester = new Requester("", user, 0);
  }

  @Override
  public Requester requester() {
    return requester;
  }

  @Override
  public void onPublished() {
    end.complete("published");
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    end.complete(code.code());
  }

  boolean isAnswered() {
    return end.isDone();
  }

  String await() throws Exception {
    return end.get(120, TimeUnit.SECONDS);
  }
}
