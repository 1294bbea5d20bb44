package io.sluice.gateway.clients;

import java.util.List;

/** Running example client, subscribed to one topic. Any thread may call it. */
interface ExampleClient extends AutoCloseable {
  /** Entry for an active subscription, repeated on each connection. */
  String SUBSCRIBED = "SUBSCRIBED";

  /** Prefix of the entry for a message, followed by its payload. */
  String MESSAGE = "MESSAGE ";

  /** Prefix of the entry for a gap, followed by its reason. */
  String GAP = "GAP ";

  /** Returns the entries of its application, in chronological order. */
  List<String> entries();

  @Override
  void close();
}
