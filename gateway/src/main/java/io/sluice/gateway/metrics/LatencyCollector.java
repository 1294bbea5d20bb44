package io.sluice.gateway.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricFamilyDescriptor;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows a {@link LatencyWindow} to Prometheus as a summary and a gauge with its maximum, both from
 * one snapshot. Any thread may call it.
 *
 * @param name without unit, such as {@code sluice_fanout_latency}
 * @param meaning one sentence
 */
record LatencyCollector(String name, String meaning, LatencyWindow window)
    implements MultiCollector {

  @Override
  public MetricSnapshots collect() {
    LatencySnapshot snapshot = window.snapshot();
    return MetricSnapshots.of(summary(snapshot), max(snapshot));
  }

  @Override
  public List<MetricFamilyDescriptor> getMetricFamilyDescriptors() {
    return List.of(
        MetricFamilyDescriptor.summary(name + "_seconds").build(),
        MetricFamilyDescriptor.gauge(name + "_seconds_max").build());
  }

  private SummarySnapshot summary(LatencySnapshot snapshot) {
    return SummarySnapshot.builder()
        .name(name + "_seconds")
        .help(meaning)
        .unit(Unit.SECONDS)
        .dataPoint(
            SummaryDataPointSnapshot.builder()
                .quantiles(quantiles(snapshot.quantileSeconds()))
                .count(snapshot.count())
                .sum(snapshot.sumSeconds())
                .build())
        .build();
  }

  private GaugeSnapshot max(LatencySnapshot snapshot) {
    GaugeSnapshot.Builder gauge =
        GaugeSnapshot.builder().name(name + "_seconds_max").help(maxMeaning());
    snapshot.maxSeconds().forEach((loop, max) -> gauge.dataPoint(point(loop, max)));
    return gauge.build();
  }

  private String maxMeaning() {
    return "Largest " + name + "_seconds of the last minute.";
  }

  private static GaugeDataPointSnapshot point(String loop, double max) {
    Labels labels = loop.isEmpty() ? Labels.EMPTY : Labels.of("loop", loop);
    return GaugeDataPointSnapshot.builder().labels(labels).value(max).build();
  }

  private static Quantiles quantiles(List<Double> values) {
    List<Quantile> quantiles = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      quantiles.add(new Quantile(LatencySnapshot.QUANTILES.get(i), values.get(i)));
    }
    return Quantiles.of(quantiles);
  }
}
