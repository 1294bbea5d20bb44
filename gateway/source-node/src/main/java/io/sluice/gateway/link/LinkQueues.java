package io.sluice.gateway.link;

import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.hub.Sources;
import io.sluice.gateway.protocol.Feature;
import java.util.Set;
import java.util.concurrent.Executor;

/** Queues and requests over links, whose module may be missing. */
public interface LinkQueues {
  /** Root's side of one link. Bound to the event loop of the link. */
  interface Root {
    /** Handles a record of the leaf. */
    void onRecord(byte[] body);

    /**
     * Sends what has waited for room on the link, at most for one turn.
     *
     * @return whether more waits
     */
    boolean send();

    /** Ends all that the leaf has opened: the link is closed. */
    void onClosed();
  }

  /** Leaf's side of all links to roots, one after the other. Bound to the event loop of links. */
  interface Leaf {
    /** Returns the queues of the root. Any thread. */
    Queues queues();

    /** Returns the requests over the root. Any thread. */
    Requests requests();

    /**
     * Uses a link from now on.
     *
     * @param features those of the root's queues; empty without queues
     */
    void onRoot(LinkChannel root, Set<Feature> features);

    /** Handles a record of a root. */
    void onRecord(LinkChannel root, byte[] body);

    /** The link is closed. */
    void onLost();
  }

  /**
   * Creates the root's side of a link.
   *
   * @param onWaiting notifies that {@link Root#send} is due when the link has room
   */
  Root serve(LinkChannel leaf, Sources sources, Runnable onWaiting);

  /**
   * Creates the leaf's side.
   *
   * @param loop event loop of the links
   */
  Leaf newLeaf(Executor loop);
}
