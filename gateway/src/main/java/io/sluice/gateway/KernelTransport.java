package io.sluice.gateway;

import io.sluice.gateway.socket.ClientTransport;
import io.vertx.core.transport.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses how the event loops talk to the kernel; falls back to what is there and says so. */
final class KernelTransport {
  private static final Logger log = LoggerFactory.getLogger(KernelTransport.class);

  private KernelTransport() {}

  /**
   * The transport of a configured name.
   *
   * @param name auto, io-uring, epoll or nio
   */
  static ClientTransport choose(String name) {
    Transport wanted = name.equals("nio") ? Transport.NIO : Transport.EPOLL;
    if (wanted.available()) {
      return ClientTransport.of(wanted);
    }
    log.atWarn()
        .addKeyValue("wanted", name)
        .addKeyValue("taken", "nio")
        .setCause(wanted.unavailabilityCause())
        .log("transport.fallback");
    return ClientTransport.of(Transport.NIO);
  }
}
