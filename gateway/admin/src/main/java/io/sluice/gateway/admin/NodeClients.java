package io.sluice.gateway.admin;

import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.protocol.presence.PresenceView;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Sessions of a node, for operators. Any thread may call it; it never blocks. */
public interface NodeClients {
  /**
   * Closes sessions.
   *
   * @return number of closed sessions, when all event loops have responded
   */
  CompletionStage<Integer> revoke(Predicate<Peer> revoked);

  /** Returns the members of a topic at all nodes. */
  CompletionStage<PresenceView> presence(String topic);
}
