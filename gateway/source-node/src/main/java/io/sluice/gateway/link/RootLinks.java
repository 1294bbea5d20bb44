package io.sluice.gateway.link;

import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Opener of links to roots. */
interface RootLinks {
  /**
   * Connects to roots from now on, and accepts those that dial this node.
   *
   * @param created creates the receiver of a link to a root
   * @param unreachable called with the reason when no root can be reached
   */
  void onRoot(
      BiFunction<LinkChannel, LinkRecord.Hello, LinkChannel.Listener> created,
      Consumer<String> unreachable);

  /** Runs a task on the event loop of the links. */
  void execute(Runnable task);

  /** Creates the leaf's side of queues; null without their module. */
  LinkQueues.Leaf newLeaf();
}
