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
   *
   * @return the number of this consumer; calls with another one are those of consumers before it
   */
  long onStanding();

  /**
   * Everything that arrived before this call has been taken care of. Called on the interest's own
   * thread before each wait for messages, which ends soon if there are none.
   *
   * @param consumer its number
   * @param drained whether all that the broker had kept has come, as far as it can be known
   */
  void onRound(long consumer, boolean drained);

  /**
   * Messages arrived. They are acknowledged if this returns true. Called on the interest's own
   * thread; may block while the disk works.
   *
   * @param consumer its number
   * @return whether they are safe; if not, it is called again with the same messages a little later
   */
  boolean onArrivals(long consumer, List<Arrival> arrivals);

  /**
   * The broker refuses this topic, which never stood; the interest is closed. Called on the control
   * thread.
   */
  void onRefused(ErrorCode code, String why);
}
