package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.protocol.ErrorCode;
import java.util.List;
import java.util.function.Function;

/**
 * Sends the result of a leaf's request about durable subscriptions to it. For any thread.
 *
 * @param records creates the records of a result
 */
record QueryResult<T>(
    LeafLink leaf,
    int ref,
    Requester requester,
    Function<T, List<? extends QueueRecord.Result>> records)
    implements ResultListener<T> {
  @Override
  public void onResult(T result) {
    end(records.apply(result));
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    end(List.of(new QueueRecord.Refused(ref, code, why)));
  }

  private void end(List<? extends QueueRecord.Result> results) {
    leaf.pools().calls().release(requester.user(), 1);
    leaf.execute(() -> results.forEach(leaf::send));
  }
}
