package io.sluice.gateway.hosts;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures what running nodes cost. Bound to one thread. */
final class Scale {
  private static final String FRAMES = "sluice_frames_out_total";
  private static final int WINDOWS = 3;

  private final Site site;
  private final Plan plan;

  Scale(Site site, Plan plan) {
    this.site = site;
    this.plan = plan;
  }

  private record Use(double cpuSeconds, double frames) {}

  /** Lets the nodes warm up, and measures them; the middle one of some windows counts. */
  ScaleResult measure() throws InterruptedException {
    TimeUnit.SECONDS.sleep(plan.warmS());
    List<Double> micros = new ArrayList<>();
    Use first = use();
    long startNs = System.nanoTime();
    Use last = first;
    for (int i = 0; i < WINDOWS; i++) {
      TimeUnit.MILLISECONDS.sleep(plan.measureS() * 1000L / WINDOWS);
      Use now = use();
      micros.add((now.cpuSeconds() - last.cpuSeconds()) / (now.frames() - last.frames()) * 1e6);
      last = now;
    }
    Collections.sort(micros);
    double seconds = (System.nanoTime() - startNs) / 1e9;
    return new ScaleResult(
        site.running().size(),
        site.roamers().count(),
        (last.frames() - first.frames()) / seconds,
        micros.get(WINDOWS / 2),
        site.brokerConnections().values().stream().mapToLong(Long::longValue).sum());
  }

  private Use use() {
    List<HostedNode> running = site.running();
    return new Use(
        running.stream().mapToDouble(HostedNode::cpuSeconds).sum(),
        running.stream().mapToDouble(node -> node.metric(FRAMES)).sum());
  }
}
