package io.sluice.gateway.metrics;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
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
 * Registries of a node's meters, for Prometheus and JMX. Any thread may call it, but a scrape takes
 * milliseconds and must not run on an event loop.
 */
public final class Exposition implements AutoCloseable {
  private static final List<Double> QUANTILES = List.of(0.5, 0.95, 0.99, 0.999);

  private final PrometheusMeterRegistry prometheus =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT).throwExceptionOnRegistrationFailure();
  private final JmxMeterRegistry jmx;
  private final CompositeMeterRegistry both;

  /**
   * Opens both registries.
   *
   * @param node name of the node, which distinguishes the MBeans of several nodes in one process
   */
  public Exposition(String node) {
    jmx = newJmxRegistry(new MBeanNames(node));
    both = new CompositeMeterRegistry(Clock.SYSTEM, List.of(prometheus, jmx));
    both.config()
        .meterFilter(MeterFilter.deny(id -> ProcessMeters.REPLACED.contains(id.getName())));
  }

  /** Returns the registry whose meters are exposed by both. */
  public MeterRegistry registry() {
    return both;
  }

  /** Returns all metrics as text in UTF-8. */
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
   * Registers a histogram: buckets for Prometheus, and quantiles for JMX, which cannot compute
   * them. A timer of Micrometer would lock or allocate for each record.
   */
  void register(LatencyHistogram histogram) {
    prometheus.getPrometheusRegistry().register(histogram);
    String name = histogram.name();
    for (double quantile : QUANTILES) {
      Gauge.builder(name, histogram, h -> h.quantileSeconds(quantile))
          .tag("quantile", Double.toString(quantile))
          .strongReference(true)
          .register(jmx);
    }
    jmxGauge(name + ".count", histogram, LatencyHistogram::count);
    jmxGauge(name + ".sum", histogram, LatencyHistogram::sumSeconds);
    jmxGauge(name + ".max", histogram, LatencyHistogram::maxOfAllSeconds);
  }

  private void jmxGauge(
      String name, LatencyHistogram histogram, ToDoubleFunction<LatencyHistogram> value) {
    Gauge.builder(name, histogram, value).strongReference(true).register(jmx);
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
