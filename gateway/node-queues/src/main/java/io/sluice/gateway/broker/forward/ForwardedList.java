package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** List of durable subscriptions for a leaf's client. Bound to the event loop of the links. */
final class ForwardedList implements ForwardedCall {
  private final String user;
  private final ResultListener<List<DurableState>> listener;
  private final List<DurableState> listed = new ArrayList<>();

  ForwardedList(String user, ResultListener<List<DurableState>> listener) {
    this.user = user;
    this.listener = listener;
  }

  @Override
  public String user() {
    return user;
  }

  @Override
  public boolean onResult(QueueRecord.Result result) {
    if (result instanceof QueueRecord.Listed some) {
      listed.addAll(some.durables());
      if (some.last()) {
        listener.onResult(listed);
      }
      return some.last();
    }
    if (result instanceof QueueRecord.Refused refused) {
      listener.onRefused(refused.code(), refused.why());
    }
    return true;
  }

  @Override
  public void onLost() {
    listener.onRefused(ErrorCode.BROKER_UNAVAILABLE, LOST);
  }
}
