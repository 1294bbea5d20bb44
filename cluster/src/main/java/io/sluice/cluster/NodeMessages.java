package io.sluice.cluster;

import java.util.List;

/** Listener for messages of other nodes whose content the cluster does not interpret. */
public interface NodeMessages {
  /** Maximum size of a message. */
  int MAX_BYTES = 15 * 1024;

  /**
   * Notifies of the other members of the current view. An object identifies one process.
   *
   * @param peers objects that are compared by equality
   */
  void onView(List<?> peers);

  /** Notifies of a message, perhaps of a node that is not in the view yet. */
  void onMessage(Object from, byte[] message);

  /** Notifies that messages of other nodes were discarded, because too many were waiting. */
  void onDiscarded();
}
