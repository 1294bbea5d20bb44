package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.config.ServerSettings;
import java.util.List;
import java.util.OptionalLong;

/** Whether connections can come, and where their ends are counted. Stateless, for any thread. */
final class NetworkChecks {
  private NetworkChecks() {}

  static List<Finding> of(Machine machine, Need need) {
    return List.of(
        accepted(machine, need),
        halfOpen(machine, need),
        tracked(machine, need),
        ports(machine, need));
  }

  private static Finding accepted(Machine machine, Need need) {
    String why =
        "clients that return at once wait here; beyond it the kernel drops them, and they see"
            + " time-outs of seconds";
    return Finding.setting(machine, "net.core.somaxconn", need.backlog(), why);
  }

  private static Finding halfOpen(Machine machine, Need need) {
    String key = "net.ipv4.tcp_max_syn_backlog";
    OptionalLong found = machine.setting(key);
    if (found.isEmpty()) {
      return Finding.untold(key, Machine.settingPath(key));
    }
    if (machine.setting("net.ipv4.tcp_syncookies").orElse(0) > 0) {
      String why = "with net.ipv4.tcp_syncookies it drops nobody";
      return Finding.ok(key, Figures.count(found.getAsLong()), why);
    }
    return Finding.atLeast(
        key,
        found.getAsLong(),
        need.backlog(),
        "connections whose handshake of TCP is under way; net.ipv4.tcp_syncookies = 1 does as well",
        Remedy.sysctl(key, need.backlog()));
  }

  private static Finding tracked(Machine machine, Need need) {
    String key = "net.netfilter.nf_conntrack_max";
    OptionalLong found = machine.setting(key);
    if (found.isEmpty()) {
      return Finding.ok(key, "not there", "the kernel does not track connections here");
    }
    return Finding.atLeast(
        key,
        found.getAsLong(),
        need.tracked(),
        "the firewall remembers each connection, some time beyond its end; a full table drops new"
            + " ones",
        Remedy.sysctl(key, need.tracked()));
  }

  /** A node accepts connections and opens few, so that no range is too small for it. */
  private static Finding ports(Machine machine, Need need) {
    String key = "net.ipv4.ip_local_port_range";
    long[] found = machine.numbers(Machine.settingPath(key));
    if (found.length != 2) {
      return Finding.untold(key, Machine.settingPath(key));
    }
    long ports = Math.max(0, found[1] - found[0] + 1);
    String range = found[0] + " to " + found[1];
    int own = need.config().get(ServerSettings.PORT);
    if (own >= found[0] && own <= found[1] && !isReserved(machine, own)) {
      return Finding.change(
          key,
          range,
          "a range without " + own + " (server.port)",
          "any outgoing connection may have taken the node's port when it starts",
          Remedy.sysctl("net.ipv4.ip_local_reserved_ports", own));
    }
    return Finding.ok(
        key,
        range,
        "for a node itself; a proxy or a load generator here has "
            + Figures.count(ports)
            + " connections for one address of a node");
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
