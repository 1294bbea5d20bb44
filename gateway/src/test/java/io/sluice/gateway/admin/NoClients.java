package io.sluice.gateway.admin;

import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.protocol.presence.PresenceView;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Sessions of a node without clients. */
final class NoClients implements NodeClients {
  @Override
  public CompletionStage<Integer> revoke(Predicate<Peer> revoked) {
    return CompletableFuture.completedFuture(0);
  }

  @Override
  public CompletionStage<PresenceView> presence(String topic) {
    return CompletableFuture.completedFuture(new PresenceView(0, List.of(), false));
  }
}
