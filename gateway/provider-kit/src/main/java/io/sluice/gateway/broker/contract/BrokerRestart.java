package io.sluice.gateway.broker.contract;

import java.io.IOException;

/** Kill and start of the checked broker. */
@FunctionalInterface
public interface BrokerRestart {
  /**
   * Restarts the broker; returns when it is starting or has started.
   *
   * @throws IOException if it was not restarted; the message says why
   * @throws InterruptedException if the thread is interrupted
   */
  void run() throws IOException, InterruptedException;
}
