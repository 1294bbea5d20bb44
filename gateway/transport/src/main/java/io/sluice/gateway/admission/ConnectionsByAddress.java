package io.sluice.gateway.admission;

import io.sluice.gateway.socket.AcceptedConnection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Connections of one event loop by client address, in the order of their arrival. Bound to that
 * loop. Every call takes time logarithmic in the number of addresses.
 */
final class ConnectionsByAddress {
  private static final Comparator<Group> LARGEST_FIRST =
      Comparator.comparingInt(Group::size).reversed().thenComparingLong(group -> group.number);

  private final Map<String, Group> groups = new HashMap<>();
  private final NavigableSet<Group> bySize = new TreeSet<>(LARGEST_FIRST);
  private long created;

  /** Connections of one address. */
  static final class Group {
    private final String address;
    private final long number;
    private final Set<AcceptedConnection> connections = new LinkedHashSet<>();

    private Group(String address, long number) {
      this.address = address;
      this.number = number;
    }

    private int size() {
      return connections.size();
    }
  }

  /**
   * Adds a connection.
   *
   * @return its group, a parameter of {@link #remove}
   */
  Group add(String address, AcceptedConnection connection) {
    Group group = groups.computeIfAbsent(address, name -> new Group(name, created++));
    bySize.remove(group); // its order depends on its size
    group.connections.add(connection);
    bySize.add(group);
    return group;
  }

  void remove(Group group, AcceptedConnection connection) {
    bySize.remove(group);
    group.connections.remove(connection);
    if (group.connections.isEmpty()) {
      groups.remove(group.address);
    } else {
      bySize.add(group);
    }
  }

  /**
   * Returns the oldest connection of the address that has the most. If there are several such
   * addresses, it is the one that was added first. There must be a connection.
   */
  AcceptedConnection oldestOfLargest() {
    return bySize.first().connections.iterator().next();
  }
}
