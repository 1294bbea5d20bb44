package io.sluice.loadtest.cli;

import io.sluice.loadtest.load.GatewayUrl;
import io.sluice.loadtest.load.GeneratorEvents;
import io.sluice.loadtest.load.GeneratorInput;
import io.sluice.loadtest.load.GeneratorOptions;
import io.sluice.loadtest.load.LoadGenerator;
import io.sluice.loadtest.load.MeasurementOptions;
import io.sluice.loadtest.load.PublishOptions;
import io.sluice.loadtest.load.Transport;
import io.sluice.loadtest.load.dialect.ClientProtocol;
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
    header = "Run a load generator: many clients that subscribe and count messages.",
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
          "URL of the gateway, such as ws://localhost:8080/ws or wss://localhost:8443/ws; with sse"
              + " http://localhost:8080/topics.")
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
      description = "Prefix of topic names (default: stocks. or, with mqtt, stocks/).")
  private String topicPrefix;

  @Option(
      names = "--first",
      paramLabel = "N",
      description =
          "Number of the first client, for several load generators that share one numbering"
              + " (default: ${DEFAULT-VALUE}).")
  private int first;

  @Option(
      names = "--protocol",
      paramLabel = "NAME",
      description =
          "Protocol of the clients: sluice.v1.bin, sluice.v1.json, sse, stomp, or mqtt (default:"
              + " ${DEFAULT-VALUE}). Servers other than a gateway may speak the last three.")
  private String protocol = ClientProtocol.SLUICE_BIN.toString();

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

  @Option(
      names = "--measured",
      paramLabel = "N",
      description =
          "Record the latency of each message of sluice feed at N clients, selected at random, and"
              + " count lost and repeated sequence numbers at all clients. A line 'measured' has"
              + " the mean of the clients' figures with confidence intervals.")
  private int measured;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      description =
          "For --measured: time after all clients are subscribed that is not measured (default:"
              + " ${DEFAULT-VALUE}).")
  private int warmUp;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "For --measured: seed of the selection (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--server-pid",
      paramLabel = "PID",
      description = "For --measured: process of the server, for its CPU time per frame.")
  private Long serverPid;

  @Option(
      names = "--publish",
      paramLabel = "RATE",
      description =
          "For stomp and mqtt: publish RATE messages per second and topic through the server, after"
              + " all clients are subscribed.")
  private Double publish;

  @Option(
      names = "--publish-bytes",
      paramLabel = "N",
      description = "For --publish: size of a message (default: ${DEFAULT-VALUE}).")
  private int publishBytes = 512;

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
    if (inflate && protocol().isOpen()) {
      throw invalid("--inflate: requires a protocol of Sluice");
    }
    if (!(connectRate > 0)) {
      throw invalid("--connect-rate " + connectRate + ": must be above 0");
    }
    ClientProtocol spoken = protocol();
    return new GeneratorOptions(
        address(spoken),
        clients,
        topics,
        topicPrefix == null ? spoken.defaultPrefix() : topicPrefix,
        first,
        spoken,
        token(),
        connectRate,
        fromAddresses,
        threads,
        transport,
        insecure,
        trust,
        inflate,
        measurement(),
        published(spoken));
  }

  private ClientProtocol protocol() {
    try {
      return ClientProtocol.of(protocol);
    } catch (IllegalArgumentException e) {
      throw invalid("--protocol: " + e.getMessage());
    }
  }

  private MeasurementOptions measurement() {
    requireAtLeast("--measured", measured, 0);
    requireAtLeast("--warm-up", warmUp, 0);
    if (measured == 0 && (warmUp > 0 || serverPid != null)) {
      throw invalid((warmUp > 0 ? "--warm-up" : "--server-pid") + ": requires --measured");
    }
    if (inflate && measured > 0) {
      throw invalid("--measured: cannot be combined with --inflate, which verifies payloads");
    }
    if (duration != null && duration <= warmUp && measured > 0) {
      throw invalid("--duration " + duration + ": must be above --warm-up " + warmUp);
    }
    return measured == 0
        ? null
        : new MeasurementOptions(measured, Duration.ofSeconds(warmUp), seed, server());
  }

  private ProcessHandle server() {
    return serverPid == null
        ? null
        : ProcessHandle.of(serverPid)
            .orElseThrow(() -> invalid("--server-pid " + serverPid + ": no such process"));
  }

  private PublishOptions published(ClientProtocol spoken) {
    if (publish == null) {
      return null;
    }
    if (!(publish > 0)) {
      throw invalid("--publish " + publish + ": must be above 0");
    }
    requireAtLeast("--publish-bytes", publishBytes, 1);
    if (!spoken.canPublish()) {
      throw invalid("--publish: clients cannot publish with --protocol " + spoken);
    }
    return new PublishOptions(publish, publishBytes);
  }

  private GatewayUrl address(ClientProtocol spoken) {
    try {
      return spoken.isHttp() ? GatewayUrl.parseHttp(url) : GatewayUrl.parse(url);
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
