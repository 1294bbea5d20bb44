package io.sluice.gateway.streams.read;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.http.ResponseClient;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Client of one request with publishes: ends with the response, which is the error of the first
 * refused one. Bound to its event loop.
 */
final class PublishClient extends ResponseClient {
  private static final long TIMEOUT_MS = 30_000;

  private final Credential credential;
  private final List<ClientFrame.Publish> publishes;
  private final Consumer<HttpAnswer> onAnswer;
  private int pending;
  private int published;

  /** First refusal, or null. */
  private JsonObject refusal;

  private boolean answered;

  /**
   * @param publishes frames with refs, at least one
   * @param onAnswer receives the response, once
   */
  PublishClient(
      ProtocolContext loop,
      Connection connection,
      Credential credential,
      List<ClientFrame.Publish> publishes,
      Consumer<HttpAnswer> onAnswer) {
    super(loop, connection);
    this.credential = credential;
    this.publishes = publishes;
    this.onAnswer = onAnswer;
    this.pending = publishes.size();
  }

  @Override
  public void onOpen() {
    open(loop.encoding(RecordFormat.INSTANCE), credential, ReadClient.CONNECT);
    executeLater(this::onTimeout, TIMEOUT_MS);
  }

  @Override
  protected void onFrame(String type, JsonObject frame) {
    switch (type) {
      case "hello" -> later(this::publish);
      case "published" -> {
        published++;
        onResult();
      }
      case "error" -> {
        refusal = refusal == null ? frame : refusal;
        onResult();
      }
      default -> {} // of no meaning to a publish
    }
  }

  // Not before: what waits for authentication is limited.
  private void publish() {
    for (ClientFrame.Publish each : publishes) {
      give(each, each.payload().length);
    }
  }

  private void onResult() {
    pending--;
    if (pending > 0) {
      return;
    }
    if (refusal != null) {
      JsonObject error = published == 0 ? refusal : refusal.copy().put("published", published);
      answer(HttpAnswer.error(error));
    } else {
      boolean isQueue = publishes.get(0).destination().isQueue();
      answer(HttpAnswer.empty(isQueue ? 201 : 204, Map.of()));
    }
  }

  private void onTimeout() {
    answer(
        HttpAnswer.error(
            503, "publish-failed", "no answer of the broker: it may have stored the message"));
  }

  private void answer(HttpAnswer answer) {
    if (!answered) {
      answered = true;
      onAnswer.accept(answer);
      later(() -> close(CloseCode.NORMAL));
    }
  }

  @Override
  protected void onMessages(ByteBuf messages) {
    // It has no subscription.
  }

  @Override
  protected boolean isFull() {
    return false;
  }

  @Override
  protected void onClosing(CloseCode code) {
    if (refusal != null && !answered) {
      answer(HttpAnswer.error(refusal)); // such as unauthorized, before the first publish
    }
    answer(HttpAnswer.error(code));
    super.onClosing(code);
  }

  @Override
  protected void onEnd() {
    answer(HttpAnswer.error(CloseCode.INTERNAL_ERROR));
  }
}
