package io.sluice.gateway.trace;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.SettingFile;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Options of tracing. Immutable, for any thread.
 *
 * @param endpoint URL of the OTLP receiver
 * @param headers HTTP headers of each request, which may be secret
 * @param sampleRatio share of the sampled traces for which this node records spans
 * @param serviceName name of the service in spans
 * @param node name of this node in spans
 * @param version version of this node in spans
 * @param sources sources whose names are the messaging systems in spans
 * @param queue maximum number of messages whose spans wait for the export
 */
public record TracingOptions(
    String endpoint,
    Map<String, String> headers,
    double sampleRatio,
    String serviceName,
    String node,
    String version,
    List<ConfiguredSource> sources,
    int queue) {
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern VALUE = Pattern.compile("[ -~]*");

  /**
   * Reads the options of a node with tracing.
   *
   * @throws IOException if the file with headers is unusable; the message contains the key, but no
   *     value
   */
  public static TracingOptions of(Config config, String node, String version) throws IOException {
    return new TracingOptions(
        config.get(AdminSettings.TRACING_ENDPOINT),
        readHeaders(config.get(AdminSettings.TRACING_HEADERS_FILE)),
        config.get(AdminSettings.TRACING_SAMPLE_RATIO),
        config.get(AdminSettings.TRACING_SERVICE_NAME),
        node,
        version,
        ConfiguredSource.of(config),
        config.get(AdminSettings.TRACING_QUEUE));
  }

  /** Reports an unusable file with headers. */
  public static void check(ConfigFindings findings) {
    try {
      readHeaders(findings.config().get(AdminSettings.TRACING_HEADERS_FILE));
    } catch (IOException e) {
      findings.report(
          e.getMessage().substring(AdminSettings.TRACING_HEADERS_FILE.key().length() + 2),
          "a file with one line such as name=value,name=value",
          AdminSettings.TRACING_HEADERS_FILE);
    }
  }

  private static Map<String, String> readHeaders(String file) throws IOException {
    return file.isEmpty()
        ? Map.of()
        : headers(new SettingFile(AdminSettings.TRACING_HEADERS_FILE, file).read());
  }

  /** Parses a line of the form {@code name=value,name=value}. */
  static Map<String, String> headers(String line) throws IOException {
    Map<String, String> headers = new LinkedHashMap<>();
    int number = 0;
    for (String pair : line.split(",", -1)) {
      number++;
      int equals = pair.indexOf('=');
      String name = equals < 0 ? "" : pair.substring(0, equals).trim();
      String value = pair.substring(equals + 1).trim();
      if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
        throw new IOException(
            AdminSettings.TRACING_HEADERS_FILE.key()
                + ": header "
                + number
                + " of the file is not of the form name=value");
      }
      headers.put(name, value);
    }
    return headers;
  }

  /** Returns a text without the values of headers. */
  @Override
  public String toString() {
    return endpoint + " with headers " + headers.keySet();
  }
}
