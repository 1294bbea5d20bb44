package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.config.ServerSettings;
import java.util.List;
import java.util.OptionalLong;

/** Checks of the limits of connections: backlog, tracking and ports. Stateless, for any thread. */
final class NetworkChecks {
  private NetworkChecks() {}

  static List<Finding> of(Machine machine, Requirements requirements) {
    return List.of(
        accepted(machine, requirements),
        halfOpen(machine, requirements),
        tracked(machine, requirements),
        ports(machine, requirements));
  }

  private static Finding accepted(Machine machine, Requirements requirements) {
    String why =
        "backlog of clients that reconnect at the same time; above it the kernel drops their"
            + " packets, which delays them by seconds";
    return Finding.setting(machine, "net.core.somaxconn", requirements.backlog(), why);
  }

  private static Finding halfOpen(Machine machine, Requirements requirements) {
    String key = "net.ipv4.tcp_max_syn_backlog";
    OptionalLong found = machine.setting(key);
    if (found.isEmpty()) {
      return Finding.unreadable(key, Machine.settingPath(key));
    }
    if (machine.setting("net.ipv4.tcp_syncookies").orElse(0) > 0) {
      String why = "with net.ipv4.tcp_syncookies no connection is dropped";
      return Finding.ok(key, Figures.count(found.getAsLong()), why);
    }
    return Finding.atLeast(
        key,
        found.getAsLong(),
        requirements.backlog(),
        "pending TCP handshakes; net.ipv4.tcp_syncookies = 1 is sufficient, too",
        Remedy.sysctl(key, requirements.backlog()));
  }

  private static Finding tracked(Machine machine, Requirements requirements) {
    String key = "net.netfilter.nf_conntrack_max";
    OptionalLong found = machine.setting(key);
    if (found.isEmpty()) {
      return Finding.ok(key, "not present", "the kernel does not track connections");
    }
    return Finding.atLeast(
        key,
        found.getAsLong(),
        requirements.tracked(),
        "the firewall tracks each connection until some time after its end; a full table drops new"
            + " ones",
        Remedy.sysctl(key, requirements.tracked()));
  }

  /** Checks the conflict with server.port only: a node opens few connections itself. */
  private static Finding ports(Machine machine, Requirements requirements) {
    String key = "net.ipv4.ip_local_port_range";
    long[] found = machine.numbers(Machine.settingPath(key));
    if (found.length != 2) {
      return Finding.unreadable(key, Machine.settingPath(key));
    }
    long ports = Math.max(0, found[1] - found[0] + 1);
    String range = found[0] + " to " + found[1];
    int own = requirements.config().get(ServerSettings.PORT);
    if (own >= found[0] && own <= found[1] && !isReserved(machine, own)) {
      return Finding.change(
          key,
          range,
          "a range without " + own + " (server.port)",
          "an outgoing connection may occupy the node's port when it starts",
          Remedy.sysctl("net.ipv4.ip_local_reserved_ports", own));
    }
    return Finding.ok(
        key,
        range,
        "sufficient for a node; a proxy or load generator on this machine can open "
            + Figures.count(ports)
            + " connections to one address of a node");
  }

  private static boolean isReserved(Machine machine, int port) {
    String text = machine.text(Machine.settingPath("net.ipv4.ip_local_reserved_ports")).orElse("");
    for (String range : text.split(",")) {
      String[] ends = range.strip().split("-");
      if (ends[0].isEmpty()) {
        continue;
      }
      if (port >= Machine.parse(ends[0]) && port <= Machine.parse(ends[ends.length - 1])) {
        return true;
      }
    }
    return false;
  }
}
