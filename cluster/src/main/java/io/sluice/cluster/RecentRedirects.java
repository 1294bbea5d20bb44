package io.sluice.cluster;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts of clients that were redirected to each node since its latest report. Without them all
 * clients that connect between two reports would be redirected to the node that appeared emptiest.
 * Any thread may call it.
 */
public final class RecentRedirects {
  private final Map<String, Since> redirects = new ConcurrentHashMap<>();

  private record Since(Load figures, AtomicInteger clients) {}

  /** Counts a redirect to a node. */
  public void add(Node to) {
    Since since = redirects.get(to.id());
    if (since == null || !since.figures.equals(to.load())) {
      since = new Since(to.load(), new AtomicInteger());
      redirects.put(to.id(), since);
    }
    since.clients.incrementAndGet();
  }

  /** Returns the number of redirected clients that the node's figures do not include yet. */
  int to(Node node) {
    Since since = redirects.get(node.id());
    return since != null && since.figures.equals(node.load()) ? since.clients.get() : 0;
  }

  /**
   * Halves the counts. To be called once per report: a node whose figures do not change has lost as
   * many clients as it received.
   */
  public void decay() {
    redirects.values().forEach(since -> since.clients.updateAndGet(clients -> clients / 2));
  }
}
