package io.sluice.gateway.admin;

import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.session.SessionQuery;
import io.sluice.gateway.session.SessionSummary;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** A node's sessions as its operator sees them. Any thread may ask, and is never held up. */
public interface NodeClients {
  /**
   * Ends sessions.
   *
   * @return how many, once all event loops have been asked
   */
  CompletionStage<Integer> revoke(Predicate<Peer> revoked);

  /** Lists sessions in the order in which they began. */
  CompletionStage<List<SessionSummary>> sessions(SessionQuery query);
}
