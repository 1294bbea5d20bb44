package io.sluice.gateway.http;

import io.sluice.gateway.drain.ConnectionList;
import java.util.Arrays;

/**
 * The connections of one event loop. Bound to it.
 *
 * <p>They have places from 0 up. The place of one that is removed is taken by the last; so who
 * walks them while they come and go does it downwards, and meets everybody who was there at the
 * start once.
 */
final class ConnectionTable implements ConnectionList {
  private ClientConnection[] places = new ClientConnection[16];
  private int count;

  @Override
  public int count() {
    return count;
  }

  /** The connection at a place below the count. */
  @Override
  public ClientConnection get(int place) {
    return places[place];
  }

  void add(ClientConnection connection) {
    if (count == places.length) {
      places = Arrays.copyOf(places, count + (count >> 1));
    }
    connection.slot = count;
    places[count++] = connection;
  }

  void remove(ClientConnection connection) {
    ClientConnection last = places[--count];
    places[connection.slot] = last;
    last.slot = connection.slot;
    places[count] = null;
  }
}
