package io.sluice.loadtest.cli;

import java.util.Locale;
import java.util.Properties;
import picocli.CommandLine.Option;

/** Options of the load of an A/B test. Used by the main thread only. */
final class AbTestLoad {
  @Option(
      names = "--clients",
      paramLabel = "N",
      description = "Number of clients, including measured ones (default: 1000).")
  private String clients;

  @Option(
      names = "--measured",
      paramLabel = "N",
      description = "Number of clients that record every message (default: 30).")
  private String measured;

  @Option(
      names = "--topics",
      paramLabel = "N",
      description = "Number of topics of the feed (default: 100).")
  private String topics;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "Prefix of the feed's topics (default: stocks.).")
  private String prefix;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second and topic of the feed (default: 10).")
  private String rate;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Payload of the feed's messages (default: 512).")
  private String size;

  @Option(
      names = "--encoding",
      paramLabel = "NAME",
      description = "Encoding of messages: bin, json (default: bin).")
  private String encoding;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the credential of all clients (default: none).")
  private String tokenFile;

  @Option(
      names = "--ramp",
      paramLabel = "SECONDS",
      description = "Time in which the clients connect (default: 5).")
  private String ramp;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      description = "Minimum number of excluded seconds of a run (default: 10).")
  private String warmup;

  @Option(
      names = "--duration",
      paramLabel = "SECONDS",
      description = "Seconds of a run after the warm-up (default: 60).")
  private String duration;

  @Option(
      names = "--tolerance",
      paramLabel = "PERCENT",
      description = "Allowed deviation from --rate (default: 5).")
  private String tolerance;

  @Option(
      names = "--position",
      paramLabel = "NAME",
      description =
          "Position of the measured clients among all subscribers: random, first, last (default:"
              + " random).")
  private String position;

  @Option(
      names = "--generators",
      paramLabel = "N",
      description = "Number of load generator processes (default: 1).")
  private String generators;

  /** Returns the given options by their names in simulations. */
  Properties parameters() {
    Properties parameters = new Properties();
    put(parameters, "clients", clients);
    put(parameters, "measured", measured);
    put(parameters, "topics", topics);
    put(parameters, "prefix", prefix);
    put(parameters, "rate", rate);
    put(parameters, "size", size);
    put(parameters, "encoding", encoding);
    put(parameters, "tokenFile", tokenFile);
    put(parameters, "ramp", ramp);
    put(parameters, "warmup", warmup);
    put(parameters, "duration", duration);
    put(parameters, "tolerance", tolerance);
    put(parameters, "position", position);
    put(parameters, "generators", generators);
    return parameters;
  }

  private static void put(Properties parameters, String name, String value) {
    if (value != null) {
      parameters.setProperty(name, value);
    }
  }

  /** Returns the option of a parameter. */
  static String option(String parameter) {
    return "--" + parameter.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }
}
