package io.sluice.gateway.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.Settlement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * Deliveries and settlements of numbered messages, in the order in which clients have read them.
 * Bound to the test's thread.
 */
final class MessageBook {
  private static final int TRACE = 400;

  private final List<Entry> entries = new ArrayList<>();
  private final Deque<String> trace = new ArrayDeque<>();

  /** One message. */
  private static final class Entry {
    /** True if a client has read a delivery. */
    private boolean read;

    /** Confirmed settlement, or null. */
    private Settlement settled;

    /** True if a settlement was sent whose answer no client has read. */
    private boolean perhapsAcknowledged;

    private boolean perhapsRejected;
  }

  /** Returns the number of messages. */
  int size() {
    return entries.size();
  }

  /** Adds a message and returns its number. */
  int add() {
    entries.add(new Entry());
    return entries.size() - 1;
  }

  /** Records an event of the trace. */
  void note(String event) {
    trace.add(event);
    if (trace.size() > TRACE) {
      trace.remove();
    }
  }

  /**
   * A client has read a delivery.
   *
   * @param mark its member {@code redelivered}
   */
  void delivered(int message, String mark, String client) {
    note(client + " receives " + message + " " + mark);
    Entry entry = entries.get(message);
    check(entry.settled == null, message + " is delivered after its " + entry.settled);
    check(!entry.read || mark.equals("true"), message + " is delivered again without a mark");
    entry.read = true;
  }

  /** The node has confirmed a settlement. */
  void settled(int message, Settlement how) {
    note(message + " " + how.code());
    if (how != Settlement.RELEASE) {
      check(entries.get(message).settled == null, message + " is settled twice");
      entries.get(message).settled = how;
    }
  }

  /** The connection ended before the answer to a settlement. */
  void unanswered(int message, Settlement how) {
    note(message + " unanswered " + how.code());
    Entry entry = entries.get(message);
    entry.perhapsAcknowledged |= how == Settlement.ACK;
    entry.perhapsRejected |= how == Settlement.REJECT;
  }

  /**
   * Checks that each message is where its settlement has moved it.
   *
   * @param dead messages of the dead-letter queue
   */
  void checkEnds(List<Integer> dead) {
    for (int message = 0; message < entries.size(); message++) {
      checkEnd(message, Collections.frequency(dead, message));
    }
  }

  private void checkEnd(int message, int copies) {
    Entry entry = entries.get(message);
    if (entry.settled != null) {
      int expected = entry.settled == Settlement.REJECT ? 1 : 0;
      check(copies == expected, message + " has " + copies + " dead letters: " + entry.settled);
    } else if (copies > 0) {
      check(entry.perhapsRejected && copies == 1, message + " has " + copies + " dead letters");
    } else {
      check(entry.perhapsAcknowledged, message + " is lost");
    }
  }

  void check(boolean holds, String violation) {
    assertThat(holds).as("%s; trace:%n%s", violation, String.join("\n", trace)).isTrue();
  }
}
