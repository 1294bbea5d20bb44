package io.sluice.gateway.hub;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Late deliveries aggregated per topic. A topic is reported at most once per interval; with many
 * topics, less often. The first report waits for the interval, too: until then, other consumers may
 * still receive the same messages, and other nodes may report them. Any thread may add.
 */
final class LateDeliveries {
  /** Maximum number of records of a report to other nodes. */
  static final int MAX_SENT = 128;

  /** Number of topics above which all are reported as one pattern. */
  static final int MAX_TOPICS = 1_024;

  /** Pattern that covers all topics. */
  private static final String ALL = ">";

  private final ScheduledExecutorService control;
  private final long intervalMs;
  private final int maxRecords;
  private final Consumer<List<LateDelivery>> report;
  private final Map<String, LateDelivery> pending = new LinkedHashMap<>();
  private boolean scheduled;

  /**
   * @param intervalMs interval of the reports
   * @param maxRecords maximum number of records of a report
   * @param report called on the control thread
   */
  LateDeliveries(
      ScheduledExecutorService control,
      long intervalMs,
      int maxRecords,
      Consumer<List<LateDelivery>> report) {
    this.control = control;
    this.intervalMs = intervalMs;
    this.maxRecords = maxRecords;
    this.report = report;
  }

  /** Adds a late delivery to the next report. */
  synchronized void add(LateDelivery observed) {
    String topic = observed.topic();
    if (pending.size() >= MAX_TOPICS && !pending.containsKey(topic)) {
      LateDelivery all = observed.under(ALL);
      for (LateDelivery each : pending.values()) {
        all = all.and(each);
      }
      pending.clear();
      pending.put(ALL, all);
    } else {
      LateDelivery covered = pending.containsKey(ALL) ? observed.under(ALL) : observed;
      pending.merge(covered.topic(), covered, LateDelivery::and);
    }
    if (!scheduled) {
      schedule();
    }
  }

  private void schedule() {
    try {
      control.schedule(this::flush, intervalMs, TimeUnit.MILLISECONDS);
      scheduled = true;
    } catch (RejectedExecutionException e) {
      pending.clear(); // the node is stopping
    }
  }

  private void flush() {
    List<LateDelivery> due = next();
    if (!due.isEmpty()) {
      report.accept(due);
    }
  }

  private synchronized List<LateDelivery> next() {
    List<LateDelivery> due = new ArrayList<>();
    Iterator<LateDelivery> oldest = pending.values().iterator();
    while (oldest.hasNext() && due.size() < maxRecords) {
      due.add(oldest.next());
      oldest.remove();
    }
    scheduled = false;
    if (!pending.isEmpty()) {
      schedule();
    }
    return due;
  }
}
