package io.sluice.loadtest.cli;

import io.sluice.loadtest.load.GatewayUrl;
import io.sluice.loadtest.load.GeneratorEvents;
import io.sluice.loadtest.load.GeneratorInput;
import io.sluice.loadtest.load.GeneratorOptions;
import io.sluice.loadtest.load.LoadGenerator;
import io.sluice.loadtest.load.MessageEncoding;
import io.sluice.loadtest.load.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command that runs a load generator in this process. Used by the main thread only. */
@Command(
    name = "load",
    header = "Run a load generator: many WebSocket clients that subscribe and count messages.",
    description = {
      "Client number i subscribes to the topic PREFIX(i modulo TOPICS). The command prints one line"
          + " of JSON with statistics every second.",
      "Standard input accepts one command per line: 'clients N', 'reconnect rst', 'reconnect"
          + " close', 'stop'.",
      "Without --duration it runs until the end of standard input or SIGTERM."
    },
    sortOptions = false,
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:the run has ended",
      "1:the address or a file is unusable",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice load --url ws://localhost:8080/ws --clients 1000 --duration 60",
    mixinStandardHelpOptions = true)
final class LoadCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "URL",
      required = true,
      description =
          "URL of the gateway, such as ws://localhost:8080/ws or wss://localhost:8443/ws.")
  private String url;

  @Option(
      names = "--clients",
      paramLabel = "N",
      required = true,
      description = "Number of clients.")
  private int clients;

  @Option(
      names = "--topics",
      paramLabel = "N",
      description = "Number of topics (default: ${DEFAULT-VALUE}).")
  private int topics = 100;

  @Option(
      names = "--topic-prefix",
      paramLabel = "PREFIX",
      description = "Prefix of topic names (default: ${DEFAULT-VALUE}).")
  private String topicPrefix = "stocks.";

  @Option(
      names = "--first",
      paramLabel = "N",
      description =
          "Number of the first client, for several load generators that share one numbering"
              + " (default: ${DEFAULT-VALUE}).")
  private int first;

  @Option(
      names = "--encoding",
      paramLabel = "bin|json",
      description = "Message encoding (default: ${DEFAULT-VALUE}).")
  private MessageEncoding encoding = MessageEncoding.BIN;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the bearer token of all clients.")
  private Path tokenFile;

  @Option(
      names = "--connect-rate",
      paramLabel = "N",
      description = "New connections per second (default: ${DEFAULT-VALUE}).")
  private double connectRate = 2000;

  @Option(
      names = "--from-address",
      paramLabel = "ADDRESS",
      split = ",",
      description =
          "Local addresses to connect from, in round-robin order; each has about 28,000 ports.")
  private List<String> fromAddresses = List.of();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Number of event loop threads (default: ${DEFAULT-VALUE}).")
  private int threads = 1;

  @Option(
      names = "--duration",
      paramLabel = "SECONDS",
      description = "Duration of the run after all clients are subscribed.")
  private Integer duration;

  @Option(
      names = "--transport",
      paramLabel = "auto|epoll|io_uring|nio",
      description = "I/O mechanism of the connections (default: ${DEFAULT-VALUE}).")
  private Transport transport = Transport.AUTO;

  @Option(
      names = "--trust",
      paramLabel = "FILE",
      description = "For wss://: PEM file of certificates to trust instead of Java's.")
  private Path trust;

  @Option(names = "--insecure", description = "For wss://: accept any certificate.")
  private boolean insecure;

  @Option(
      names = "--inflate",
      description =
          "Require permessage-deflate, decompress messages, and verify payloads of sluice feed."
              + " Each client has a decompressor of about 40 KB.")
  private boolean inflate;

  @Override
  public Integer call() throws InterruptedException {
    Duration limit = duration == null ? null : Duration.ofSeconds(duration);
    GeneratorEvents events = new GeneratorEvents(spec.commandLine().getOut());
    try (LoadGenerator generator = LoadGenerator.start(options(), events, limit)) {
      Thread onSignal = new Thread(generator::close, "load-signal");
      Runtime.getRuntime().addShutdownHook(onSignal);
      GeneratorInput.read(System.in, generator, limit == null);
      generator.awaitEnd();
    } catch (IOException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    }
    return ExitCode.OK;
  }

  private GeneratorOptions options() throws IOException {
    requireAtLeast("--clients", clients, 0);
    requireAtLeast("--topics", topics, 1);
    requireAtLeast("--first", first, 0);
    requireAtLeast("--threads", threads, 1);
    if (!(connectRate > 0)) {
      throw invalid("--connect-rate " + connectRate + ": must be above 0");
    }
    return new GeneratorOptions(
        address(),
        clients,
        topics,
        topicPrefix,
        first,
        encoding,
        token(),
        connectRate,
        fromAddresses,
        threads,
        transport,
        insecure,
        trust,
        inflate);
  }

  private GatewayUrl address() {
    try {
      return GatewayUrl.parse(url);
    } catch (IllegalArgumentException e) {
      throw invalid("--url: " + e.getMessage());
    }
  }

  private String token() throws IOException {
    try {
      return tokenFile == null ? null : Files.readString(tokenFile).strip();
    } catch (IOException e) {
      throw new IOException("--token-file " + tokenFile + ": cannot read the file: " + e, e);
    }
  }

  private void requireAtLeast(String option, int value, int min) {
    if (value < min) {
      throw invalid(option + " " + value + ": must be at least " + min);
    }
  }

  private ParameterException invalid(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
