package io.sluice.gateway.clients;

import java.util.List;

/** An example client while it runs, subscribed to one topic. Any thread may call it. */
interface ExampleClient extends AutoCloseable {
  /** Written down in place of a subscription that stands, anew on each connection. */
  String SUBSCRIBED = "SUBSCRIBED";

  /** Written down in place of a message, before its payload. */
  String MESSAGE = "MESSAGE ";

  /** Written down in place of a gap, before its reason. */
  String GAP = "GAP ";

  /** What its application has heard, in order. */
  List<String> heard();

  @Override
  void close();
}
