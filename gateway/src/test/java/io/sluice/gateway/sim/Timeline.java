package io.sluice.gateway.sim;

import java.util.PriorityQueue;

/** Virtual time: does what is due, one thing at a time, in the order of its moment. */
final class Timeline {
  private record Due(long atMicros, long number, Runnable task) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int byTime = Long.compare(atMicros, other.atMicros);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Due> due = new PriorityQueue<>();
  private long nowMicros;
  private long number;
  private long events;

  long nowMicros() {
    return nowMicros;
  }

  /** Things done so far. */
  long events() {
    return events;
  }

  void after(long micros, Runnable task) {
    at(nowMicros + micros, task);
  }

  /** What is due at the same moment is done in the order in which it was asked for. */
  void at(long micros, Runnable task) {
    due.add(new Due(Math.max(micros, nowMicros), number++, task));
  }

  /** Lets time pass. */
  void runFor(long micros) {
    long end = nowMicros + micros;
    while (!due.isEmpty() && due.peek().atMicros() <= end) {
      Due next = due.poll();
      nowMicros = next.atMicros();
      events++;
      next.task().run();
    }
    nowMicros = end;
  }
}
