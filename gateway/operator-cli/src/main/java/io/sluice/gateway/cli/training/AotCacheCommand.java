package io.sluice.gateway.cli.training;

import io.sluice.gateway.cli.command.BrokerChild;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.SettingFile;
import io.sluice.gateway.node.Opened;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that creates the AOT cache of this installation. Used by the main thread only. */
@Command(
    name = "aot-cache",
    header = "Create the AOT cache, with which nodes start faster.",
    description = {
      "Runs a node with clients, publishes to topics that begin with sluice-aot-cache, and stores"
          + " the loaded classes and, from Java 25, the profiles of the methods.",
      "Later starts with the same Java, jars and options use the cache."
    },
    exitCodeList = {
      "0:the cache was created",
      "1:the file cannot be written, there is no broker, or the training run failed",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice aot-cache --broker tcp://localhost:61616")
public final class AotCacheCommand extends Subcommand {
  /** System property with the file that the launcher passes to nodes. */
  private static final String FILE = "sluice.aot-cache";

  private static final int MAX_SECONDS = 600;
  private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description =
          "File to write (default: the file in SLUICE_AOT_CACHE that later starts look for).")
  private Path output;

  @Option(
      names = "--broker",
      paramLabel = "URL",
      description = "URL of a broker (default: an embedded broker, if installed).")
  private String brokerUrl;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Duration of the load, 1 to 600 (default: ${DEFAULT-VALUE}).")
  private int seconds = 10;

  private final Termination termination;
  private final Opened opened = new Opened();

  /**
   * @param termination stops the parts at the end of the process
   */
  public AotCacheCommand(Termination termination) {
    this.termination = termination;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw wrongUse("--seconds " + seconds + " is out of range; expected 1 to " + MAX_SECONDS);
    }
    Path target = target();
    // Registered before the start, because a signal may arrive while a child starts.
    termination.onEnd(opened::close, STOP_LIMIT);
    try {
      create(target);
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    } finally {
      opened.close();
    }
    return Termination.OK;
  }

  private Path target() {
    String configured = System.getProperty(FILE, "");
    if (output == null && configured.isEmpty()) {
      throw new CommandFailure("no file for the cache: SLUICE_AOT_CACHE is off; set --output FILE");
    }
    return output == null ? Path.of(configured) : output;
  }

  private void create(Path target) throws IOException, InterruptedException {
    AotCacheFile file = opened.add(open(target));
    TrainedNode node = opened.add(new TrainedNode(file, brokerUrl()));
    node.awaitReady();
    opened.add(new TrainingLoad(node, Duration.ofSeconds(seconds))).run();
    node.writeCache();
    file.publish();
    print(target + ": " + (Files.size(target) >> 20) + " MiB, for Java " + Runtime.version());
  }

  private static AotCacheFile open(Path target) {
    try {
      return AotCacheFile.create(target);
    } catch (IOException e) {
      throw new CommandFailure(
          target
              + " cannot be written: "
              + SettingFile.reason(e)
              + "; set SLUICE_AOT_CACHE to a writable folder, or --output",
          e);
    }
  }

  private String brokerUrl() {
    if (brokerUrl != null) {
      return brokerUrl;
    }
    try {
      return opened.add(BrokerChild.start(0, null, Duration.ZERO)).url();
    } catch (CommandFailure e) {
      throw new CommandFailure(e.getMessage() + "; set --broker URL", e);
    }
  }
}
