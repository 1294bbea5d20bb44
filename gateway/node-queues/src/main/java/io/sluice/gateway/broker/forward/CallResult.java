package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.protocol.ErrorCode;

/**
 * Sends the result of a leaf's settlement or publish to it. For any thread.
 *
 * @param onEnd called once, before the result is sent
 */
record CallResult(LeafLink leaf, int ref, Requester requester, Runnable onEnd)
    implements SettleListener, PublishListener {
  @Override
  public void onSettled() {
    end(new QueueRecord.Done(ref));
  }

  @Override
  public void onPublished() {
    end(new QueueRecord.Done(ref));
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    end(new QueueRecord.Refused(ref, code, why));
  }

  private void end(QueueRecord.Result result) {
    onEnd.run();
    leaf.execute(() -> leaf.send(result));
  }
}
