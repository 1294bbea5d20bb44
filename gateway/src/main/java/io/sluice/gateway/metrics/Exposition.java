package io.sluice.gateway.metrics;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.jmx.JmxConfig;
import io.micrometer.jmx.JmxMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The two registries in which every meter of a node is found: Prometheus text and JMX. Any thread
 * may call it; a scrape takes milliseconds and belongs on no event loop.
 */
public final class Exposition implements AutoCloseable {
  private final PrometheusMeterRegistry prometheus =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT).throwExceptionOnRegistrationFailure();
  private final JmxMeterRegistry jmx;
  private final CompositeMeterRegistry both;

  /**
   * Opens both registries.
   *
   * @param node the node's name, which tells the MBeans of several nodes in one process apart
   */
  public Exposition(String node) {
    jmx = newJmxRegistry(new MBeanNames(node));
    both = new CompositeMeterRegistry(Clock.SYSTEM, List.of(prometheus, jmx));
  }

  /** A meter registered here shows in both. */
  public MeterRegistry registry() {
    return both;
  }

  /** All metrics as text in UTF-8. */
  public byte[] scrape(ScrapeFormat format) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(16 * 1024);
    try {
      prometheus.scrape(out, format.contentType());
    } catch (IOException e) {
      throw new UncheckedIOException("writing metrics into memory failed", e);
    }
    return out.toByteArray();
  }

  /** Removes all MBeans. */
  @Override
  public void close() {
    both.close();
    jmx.close();
    prometheus.close();
  }

  /**
   * Shows a window of latencies. Micrometer's own timers would compute quantiles of their own, one
   * lock or one allocation a record.
   *
   * @param name dotted, without unit
   */
  void show(String name, String meaning, LatencyWindow window) {
    String prometheusName = name.replace('.', '_');
    prometheus
        .getPrometheusRegistry()
        .register(new LatencyCollector(prometheusName, meaning, window));
    for (int i = 0; i < LatencySnapshot.QUANTILES.size(); i++) {
      int index = i;
      Gauge.builder(name, window, w -> w.snapshot().quantileSeconds().get(index))
          .tag("quantile", LatencySnapshot.QUANTILES.get(i).toString())
          .strongReference(true)
          .register(jmx);
    }
    jmxGauge(name + ".count", window, LatencySnapshot::count);
    jmxGauge(name + ".sum", window, LatencySnapshot::sumSeconds);
    jmxGauge(name + ".max", window, LatencySnapshot::overallMaxSeconds);
  }

  private void jmxGauge(
      String name, LatencyWindow window, ToDoubleFunction<LatencySnapshot> value) {
    Gauge.builder(name, window, w -> value.applyAsDouble(w.snapshot()))
        .strongReference(true)
        .register(jmx);
  }

  private static JmxMeterRegistry newJmxRegistry(MBeanNames names) {
    MetricRegistry metrics = new MetricRegistry();
    JmxReporter reporter =
        JmxReporter.forRegistry(metrics)
            .inDomain(MBeanNames.DOMAIN)
            .createsObjectNamesWith(names)
            .build();
    JmxMeterRegistry registry =
        new JmxMeterRegistry(JmxConfig.DEFAULT, Clock.SYSTEM, names, metrics, reporter);
    registry.config().namingConvention(NamingConvention.snakeCase);
    return registry;
  }
}
