package io.sluice.gateway.streams.read;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.http.ResponseClient;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;

/** Client of one read: subscribes, and ends with the response. Bound to its event loop. */
final class ReadClient extends ResponseClient {
  static final ClientFrame.Connect CONNECT =
      new ClientFrame.Connect(ClientFrame.NO_REF, "", "http", false, false, false);

  private static final long REF = 1;

  private final Credential credential;
  private final String topic;
  private final Start start;
  private final long timeoutMs;
  private final ReadProgress progress;

  /**
   * @param topic topic or pattern, not validated
   * @param timeoutMs time after which the read ends without a message
   */
  ReadClient(
      ProtocolContext loop,
      Connection connection,
      Credential credential,
      String topic,
      Start start,
      long timeoutMs,
      ReadProgress progress) {
    super(loop, connection);
    this.credential = credential;
    this.topic = topic;
    this.start = start;
    this.timeoutMs = timeoutMs;
    this.progress = progress;
  }

  @Override
  public void onOpen() {
    open(loop.encoding(RecordFormat.INSTANCE), credential, CONNECT);
    give(subscribe(topic, start), topic.length());
    executeLater(progress::onTimeout, timeoutMs);
  }

  static ClientFrame.Subscribe subscribe(String topic, Start start) {
    return new ClientFrame.Subscribe(REF, InterestKey.of(topic), false, start, Delivery.ALL);
  }

  @Override
  protected void onFrame(String type, JsonObject frame) {
    progress.onFrame(type, frame);
    endIfAnswered();
  }

  @Override
  protected void onMessages(ByteBuf messages) {
    progress.onRecords(messages.slice());
    endIfAnswered();
  }

  private void endIfAnswered() {
    if (progress.isAnswered()) {
      later(() -> close(CloseCode.NORMAL)); // the hub may be iterating now
    }
  }

  @Override
  protected boolean isFull() {
    return progress.isAnswered();
  }

  @Override
  protected void onClosing(CloseCode code) {
    progress.onClosing(code);
    super.onClosing(code);
  }

  @Override
  protected void onEnd() {
    progress.onClosing(CloseCode.INTERNAL_ERROR);
  }
}
