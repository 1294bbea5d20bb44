package io.sluice.gateway.http;

import io.sluice.gateway.drain.Drain;
import java.util.List;

/**
 * Event loops without a port, whose clients are drained.
 *
 * @param connections number of their clients at first
 */
record DrainedLoops(List<LoopState> states, int connections) implements Drain.Clients {
  @Override
  public int loops() {
    return states.size();
  }

  @Override
  public void drain(Drain drain) {
    states.forEach(state -> state.drain(drain));
  }

  @Override
  public void undrain() {
    states.forEach(LoopState::undrain);
  }
}
