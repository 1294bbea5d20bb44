package io.sluice.gateway.cli;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Ports;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.vertx.core.http.HttpServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that serves the documentation site until the process ends. Main thread only. */
@Command(
    name = "docs",
    header = "Serve the documentation on this machine.",
    description = "Prints the address of the site, which is reachable from this machine only.",
    exitCodeList = {
      "0:stopped by SIGTERM or ^C",
      "1:the site is not built, or the port cannot be used",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice docs --port 8001")
final class DocsCommand extends Subcommand {
  /** System property with the folder of the site, which the launcher sets. */
  static final String FOLDER = "sluice.docs-site";

  private static final String HOST = "127.0.0.1";
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port of the site; 0: a free port (default: ${DEFAULT-VALUE}).")
  private int port = 8000;

  private final Termination termination;

  DocsCommand(Termination termination) {
    this.termination = termination;
  }

  @Override
  public Integer call() throws InterruptedException {
    requirePort("--port", port);
    Path folder = folder();
    Ports.requireFree(HOST, "--port", port, "--port");
    DocsSite site = new DocsSite(folder);
    termination.onEnd(site::close, STOP_LIMIT);
    HttpServer server = site.listen(HOST, port).await();
    print("Documentation: http://localhost:" + server.actualPort() + "/");
    print("Stop with ^C.");
    new CountDownLatch(1).await();
    return Termination.OK;
  }

  private static Path folder() {
    Path folder = Path.of(System.getProperty(FOLDER, "docs/target/site"));
    if (!Files.isRegularFile(folder.resolve("index.html"))) {
      throw new CommandFailure(
          "no documentation in "
              + folder
              + "; build it with: mvn -pl docs -am package -DskipTests (in the repository)");
    }
    return folder;
  }
}
