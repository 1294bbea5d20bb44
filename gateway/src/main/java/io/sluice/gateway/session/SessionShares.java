package io.sluice.gateway.session;

import io.sluice.gateway.broker.Publication;
import java.util.List;
import java.util.stream.Stream;

/**
 * All that one session has a share of. The narrowest is asked first: what a wider one counted and a
 * narrower refused, one client could use up for everybody. For any thread.
 */
final class SessionShares {
  private final ClientShare principal;
  private final List<ClientShare> own;
  private final TopicShares topics;
  private final ClientShare node;

  SessionShares(ClientShare principal, ClientShare address, TopicShares topics, ClientShare node) {
    this.principal = principal;
    this.own =
        Stream.of(principal, address).filter(share -> share != ClientShare.UNCOUNTED).toList();
    this.topics = topics;
    this.node = node;
  }

  /** What all sessions of its principal have together. */
  ClientShare principal() {
    return principal;
  }

  /** Why the session may not publish this just now, or null: then it is counted. */
  String publishProblem(Publication publication) {
    long bytes = publication.bytes();
    for (ClientShare share : own) {
      String problem = share.publishProblem(bytes);
      if (problem != null) {
        return problem;
      }
    }
    String problem = topics.publishProblem(publication.topic());
    return problem == null ? node.publishProblem(bytes) : problem;
  }

  /** Why the session may not subscribe to one more just now, or null: then it is counted. */
  String subscribeProblem() {
    for (int counted = 0; counted < own.size(); counted++) {
      String problem = own.get(counted).subscribeProblem();
      if (problem != null) {
        own.subList(0, counted).forEach(ClientShare::endSubscription);
        return problem;
      }
    }
    String problem = node.subscribeProblem();
    if (problem != null) {
      own.forEach(ClientShare::endSubscription);
    }
    return problem;
  }

  /** One subscription less. */
  void endSubscription() {
    own.forEach(ClientShare::endSubscription);
    node.endSubscription();
  }
}
