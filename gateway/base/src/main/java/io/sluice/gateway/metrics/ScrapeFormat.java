package io.sluice.gateway.metrics;

import java.util.Locale;

/** Text formats of a scrape. */
public enum ScrapeFormat {
  PROMETHEUS("text/plain; version=0.0.4; charset=utf-8"),
  OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

  private final String contentType;

  ScrapeFormat(String contentType) {
    this.contentType = contentType;
  }

  /** Returns the format for an HTTP Accept header, which may be null. */
  public static ScrapeFormat accepting(String accept) {
    return accept != null
            && accept.toLowerCase(Locale.ROOT).contains("application/openmetrics-text")
        ? OPEN_METRICS
        : PROMETHEUS;
  }

  /** Returns the value of the HTTP header Content-Type. */
  public String contentType() {
    return contentType;
  }
}
