package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
import java.util.List;

/** Receives what one durable interest delivers, in the order in which the broker kept it. */
public interface DurableListener {
  /**
   * The broker is there, and the consumer is about to be created. Called on the control thread.
   *
   * @return whether the node will know what was lost even if it ends now
   */
  boolean onReturn(Kept kept);

  /**
   * The consumer stands: whatever the broker has kept arrives, and what is published from now on.
   * Called on the control thread.
   */
  void onStanding();

  /**
   * Everything that arrived before this call has been taken care of. Called on the interest's own
   * thread before each wait for messages, which ends after a fraction of a second if there are
   * none.
   */
  void onRound();

  /**
   * Messages arrived. They are acknowledged if this returns true. Called on the interest's own
   * thread; may block while the disk works.
   *
   * @return whether they are safe; if not, it is called again with the same messages a little later
   */
  boolean onArrivals(List<Arrival> arrivals);

  /**
   * The broker refuses this topic for good; the interest is closed. Called on the control thread.
   */
  void onRefused(ErrorCode code, String why);
}
