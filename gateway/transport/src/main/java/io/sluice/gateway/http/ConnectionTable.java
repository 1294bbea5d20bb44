package io.sluice.gateway.http;

import io.sluice.gateway.drain.ConnectionList;
import java.util.Arrays;

/**
 * Table of the connections of one event loop. Bound to it.
 *
 * <p>A removed connection is replaced by the last one. An iteration in descending order therefore
 * visits each connection that was present at its start once. The array shrinks after most clients
 * have left.
 */
final class ConnectionTable implements ConnectionList {
  private static final int MIN_CAPACITY = 16;

  private ClientConnection[] connections = new ClientConnection[MIN_CAPACITY];
  private int count;

  @Override
  public int count() {
    return count;
  }

  /** Returns the connection at an index below the count. */
  @Override
  public ClientConnection get(int index) {
    return connections[index];
  }

  void add(ClientConnection connection) {
    if (count == connections.length) {
      connections = Arrays.copyOf(connections, count + (count >> 1));
    }
    connection.index = count;
    connections[count++] = connection;
  }

  void remove(ClientConnection connection) {
    ClientConnection last = connections[--count];
    connections[connection.index] = last;
    last.index = connection.index;
    connections[count] = null;
    if (count < connections.length / 4 && connections.length > MIN_CAPACITY) {
      connections = Arrays.copyOf(connections, connections.length / 2);
    }
  }

  /** Returns the number of connections for which the table has memory. */
  int capacity() {
    return connections.length;
  }
}
