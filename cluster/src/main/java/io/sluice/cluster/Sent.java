package io.sluice.cluster;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that this node has sent to each other one, and that are not in the other's figures yet.
 * Without it all clients that connect between two reports would go to the node that looked
 * emptiest. Any thread may call it.
 */
public final class Sent {
  private final Map<String, Since> sent = new ConcurrentHashMap<>();

  private record Since(Load figures, AtomicInteger clients) {}

  /** One more went there. */
  public void add(Node to) {
    Since since = sent.get(to.id());
    if (since == null || !since.figures.equals(to.load())) {
      since = new Since(to.load(), new AtomicInteger());
      sent.put(to.id(), since);
    }
    since.clients.incrementAndGet();
  }

  /** How many clients it has got that its figures don't show. */
  int to(Node node) {
    Since since = sent.get(node.id());
    return since != null && since.figures.equals(node.load()) ? since.clients.get() : 0;
  }

  /**
   * Forgets half. To be called once per report: a node whose figures do not change has lost as many
   * clients as it got.
   */
  public void fade() {
    sent.values().forEach(since -> since.clients.updateAndGet(clients -> clients / 2));
  }
}
