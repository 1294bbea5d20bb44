package io.sluice.gateway.link;

import io.sluice.gateway.hub.Hub;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/** Opener of links to roots. */
interface RootLinks {
  /** Source that receives the logs of roots. Called on the event loop. */
  interface Receiver {
    /** A link to a root is open. Returns the receiver of its records. */
    LinkLeaf onRoot(LinkChannel channel, LinkRecord.Hello root);

    /** No root can be reached. */
    void onUnreachable(String why);
  }

  /**
   * Connects to a root from now on.
   *
   * @param urls URLs of the roots; empty if they connect to this node
   */
  void follow(List<String> urls, Receiver receiver);

  /** Opens the logs of topics before a client uses them; see {@link Hub#preSubscribe}. */
  CompletionStage<Integer> preSubscribe(List<String> names);

  /** Runs a task on the event loop of the links. */
  void execute(Runnable task);

  /** Returns the presence of this node; null without it. */
  default LinkExchange presence() {
    return null;
  }

  /** Returns the revocations of this node; null without them. */
  default LinkExchange revocations() {
    return null;
  }

  /** Creates the leaf's side of queues; null without their module. */
  LinkQueues.Leaf newLeaf();

  /** Creates the leaf's side of a group; null without its module. See {@link LinkGroup#join}. */
  LinkGroup.Leaf join(LinkChannel channel, String root, IntFunction<LinkGroup.LeafLog> logs);
}
