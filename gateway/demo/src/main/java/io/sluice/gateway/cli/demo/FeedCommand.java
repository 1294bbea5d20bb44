package io.sluice.gateway.cli.demo;

import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.logging.Logging;
import io.sluice.gateway.config.ServiceUrl;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that publishes to a broker until a signal. Used by the main thread only. */
@Command(
    name = "feed",
    header = "Publish messages to a broker at a constant rate.",
    description = {
      "Topics are PREFIX0, PREFIX1, and so on. Each message is a text that begins with 'TS=<due"
          + " time, Unix, in ns> SEQ=<number in this topic, from 1> '.",
      "A message that cannot be sent within a second of its due time is skipped. Each five seconds"
          + " and at the end it prints the number of sent and skipped messages, and their"
          + " lateness.",
      "After a loss of the connection, it reconnects without limit."
    },
    sortOptions = false,
    exitCodeList = {
      "0:stopped by SIGTERM or ^C",
      "1:no connection within --connect-timeout, or the command failed",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice feed --broker tcp://localhost:61616 --topics 10 --rate 5")
public final class FeedCommand extends Subcommand {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  /** JMS clients; the command is also listed without them. */
  private enum Client {
    ARTEMIS,
    CLASSIC
  }

  @Option(
      names = "--broker",
      paramLabel = "URL",
      required = true,
      description = "URL of the broker, such as tcp://localhost:61616.")
  private String broker;

  @Option(
      names = "--topics",
      paramLabel = "N",
      description = "Number of topics (default: ${DEFAULT-VALUE}).")
  private int topics = 100;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second and topic (default: ${DEFAULT-VALUE}).")
  private double rate = 10;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      description = "Size of a message's text in bytes, at least 40 (default: ${DEFAULT-VALUE}).")
  private int bytes = 512;

  @Option(
      names = "--market",
      description =
          "Publish the fictitious stocks of sluice demo, as JSON objects; --bytes has no effect.")
  private boolean market;

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description = "Prefix of topic names (default: ${DEFAULT-VALUE}).")
  private String prefix = "stocks.";

  @Option(names = "--persistent", description = "Publish with the JMS delivery mode PERSISTENT.")
  private boolean persistent;

  @Option(
      names = "--provider",
      paramLabel = "CLIENT",
      description = "JMS client: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Client provider = Client.ARTEMIS;

  @Option(names = "--user", paramLabel = "NAME", description = "User name for the broker.")
  private String user = "";

  @Option(
      names = "--password-env",
      paramLabel = "NAME",
      description = "Environment variable with the password (default: ${DEFAULT-VALUE}).")
  private String passwordVariable = "SLUICE_BROKER_PASSWORD";

  @Option(
      names = "--connect-timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Timeout of the first connection (default: ${DEFAULT-VALUE}).")
  private int connectTimeoutS;

  private final Termination termination;

  /**
   * @param termination stops the feed at the end of the process
   */
  public FeedCommand(Termination termination) {
    this.termination = termination;
  }

  @Override
  public Integer call() throws InterruptedException {
    FeedPublisher publisher = publisher();
    Logging.info();
    CountDownLatch ended = new CountDownLatch(1);
    termination.onEnd(
        () -> {
          publisher.stop();
          Termination.await(ended, STOP_LIMIT);
        },
        STOP_LIMIT.multipliedBy(2));
    try {
      publisher.publish(connectTimeoutS);
      publisher.total().ifPresent(total -> print("total: " + total));
    } finally {
      ended.countDown();
    }
    new CountDownLatch(1).await();
    return Termination.OK;
  }

  private FeedPublisher publisher() {
    if (connectTimeoutS < 1) {
      throw wrongUse("--connect-timeout " + connectTimeoutS + " is too short; expected 1 or more");
    }
    String client = provider.name().toLowerCase(Locale.ROOT);
    Optional<String> problem = ServiceUrl.brokerProblem(client, broker);
    if (problem.isPresent()) {
      throw wrongUse(problem.get() + "; expected " + ServiceUrl.brokerExpected(client));
    }
    String password = System.getenv().getOrDefault(passwordVariable, "");
    FeedPublisher.Target target =
        new FeedPublisher.Target(broker, provider.name(), user, password, persistent);
    FeedPublisher.Load load = new FeedPublisher.Load(prefix, topics, rate, bytes, market);
    try {
      return new FeedPublisher(target, load, this::print);
    } catch (IllegalArgumentException e) {
      throw wrongUse(e.getMessage());
    }
  }
}
