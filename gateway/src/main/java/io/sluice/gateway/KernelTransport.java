package io.sluice.gateway;

import io.sluice.gateway.socket.ClientTransport;
import io.vertx.core.transport.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Selection of the event loops' transport, with a logged fallback. Stateless, for any thread. */
final class KernelTransport {
  private static final Logger log = LoggerFactory.getLogger(KernelTransport.class);

  private KernelTransport() {}

  /**
   * Returns the configured transport, or NIO if it is unavailable.
   *
   * @param name auto, io-uring, epoll or nio
   */
  static ClientTransport choose(String name) {
    Transport transport = name.equals("nio") ? Transport.NIO : Transport.EPOLL;
    if (transport.available()) {
      return ClientTransport.of(transport);
    }
    log.atWarn()
        .addKeyValue("wanted", name)
        .addKeyValue("taken", "nio")
        .setCause(transport.unavailabilityCause())
        .log("transport.fallback");
    return ClientTransport.of(Transport.NIO);
  }
}
