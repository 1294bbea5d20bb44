package io.sluice.gateway.socket;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Event loops that serve accepted sockets, by port. For any thread. */
final class AcceptTargets {
  private final List<AcceptTarget> targets = new CopyOnWriteArrayList<>();

  void add(AcceptTarget target) {
    targets.add(target);
  }

  void remove(EpollSockets sockets) {
    targets.removeIf(target -> target.sockets() == sockets);
  }

  /** Returns the targets of a port, in the order of their addition. */
  AcceptTarget[] of(int port) {
    return targets.stream().filter(each -> each.port() == port).toArray(AcceptTarget[]::new);
  }
}
