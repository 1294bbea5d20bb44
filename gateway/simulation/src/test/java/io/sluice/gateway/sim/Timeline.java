package io.sluice.gateway.sim;

import java.util.PriorityQueue;

/** Virtual time. Runs due tasks one after the other in the order of their time. */
public final class Timeline {
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

  public long nowMicros() {
    return nowMicros;
  }

  /** Returns the number of tasks run so far. */
  public long events() {
    return events;
  }

  public void after(long micros, Runnable task) {
    at(nowMicros + micros, task);
  }

  /** Schedules a task. Tasks of the same time run in the order of their scheduling. */
  public void at(long micros, Runnable task) {
    due.add(new Due(Math.max(micros, nowMicros), number++, task));
  }

  /** Runs all tasks that are due within this time. */
  public void runFor(long micros) {
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
