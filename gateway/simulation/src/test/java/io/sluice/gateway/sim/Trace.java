package io.sluice.gateway.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** Latest events of a run. A run is traced only when it is repeated after a failure. */
public final class Trace {
  private static final int MAX_LINES = 200_000;

  private record Line(String subject, String text) {}

  private final boolean enabled;
  private final Timeline timeline;
  private final Deque<Line> lines = new ArrayDeque<>();

  public Trace(boolean enabled, Timeline timeline) {
    this.enabled = enabled;
    this.timeline = timeline;
  }

  public void note(String subject, Supplier<String> what) {
    if (enabled) {
      String time = "%,15d ".formatted(timeline.nowMicros());
      lines.add(new Line(subject, time + subject + " " + what.get()));
      if (lines.size() > MAX_LINES) {
        lines.remove();
      }
    }
  }

  /** Returns the latest lines about a subject and the nodes. */
  public List<String> about(String subject, int max) {
    String client = subject.split(" ")[0];
    List<String> found =
        lines.stream()
            .filter(
                line ->
                    line.subject.equals(subject)
                        || line.subject.equals(client)
                        || line.subject.startsWith("node"))
            .map(Line::text)
            .toList();
    return found.subList(Math.max(0, found.size() - max), found.size());
  }
}
