package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.cli.admin.AdminClient;
import io.sluice.gateway.cli.admin.AdminPorts;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Configuration;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.doctor.Finding.Verdict;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.node.NodeChecks;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that checks a machine's limits for a number of clients. Used by the main thread only. */
@Command(
    name = "doctor",
    header = "Check whether this machine has the capacity for a number of clients.",
    description = {
      "Checks kernel settings, process limits, memory and Java, and prints each necessary change"
          + " with its file and line. It changes nothing.",
      "Run it in the environment of the node: as the same user, in the same container."
    },
    sortOptions = false,
    exitCodeList = {
      "0:no change is necessary",
      "1:a change is necessary, or the configuration is invalid",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice doctor --clients 100000")
public final class DoctorCommand extends Subcommand {
  private static final int DEFAULT_CLIENTS = 10_000;
  private static final int MAX_CLIENTS = 10_000_000;
  private static final int MAX_RATE = 10_000_000;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description =
          "Number of clients (default: limits.per-node.connections of the file; 10000 without a"
              + " file).")
  private Integer clients;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Messages per second of the busiest topic or pattern; checks that history.messages is"
              + " longer than the absence of a client.")
  private double rate;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description =
          "URL of the admin port of a running node. Its largest rate of a topic or pattern replaces"
              + " --rate. Its findings about discards of the broker are printed.")
  private String admin;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the node's admin token in its first line (admin.token-file).")
  private Path tokenFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description =
          "PEM file with the authorities to trust instead of the JDK's for the node's certificate"
              + " (admin.tls.certificate).")
  private Path ca;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file of the node (YAML); without it the defaults apply.")
  private Path file;

  @Option(names = "--json", description = "Print a JSON object instead of lines for people.")
  private boolean json;

  private final NodeChecks checks;
  private final Machine machine;

  /**
   * @param root the folder with proc and sys
   */
  public DoctorCommand(Path root, NodeChecks checks) {
    this.checks = checks;
    this.machine = new Machine(root);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (clients != null && (clients < 1 || clients > MAX_CLIENTS)) {
      throw wrongUse("--clients " + clients + " is out of bounds; expected 1 to " + MAX_CLIENTS);
    }
    if (!(rate >= 0 && rate <= MAX_RATE)) {
      throw wrongUse("--rate " + rate + " is out of bounds; expected 0 to " + MAX_RATE);
    }
    // The machine does not depend on credentials, which the file need not contain yet.
    Config config =
        new Configuration(file, checks)
            .with(AuthSettings.ANONYMOUS, true, "sluice doctor")
            .validated();
    Requirements requirements = new Requirements(number(config), rate(), config);
    Doctor doctor =
        Doctor.examine(machine, requirements, JavaFacts.current()).with(brokerFindings());
    if (json) {
      print(Report.json(doctor).encodePrettily());
    } else {
      Report.lines(doctor).forEach(this::print);
    }
    return doctor.count(Verdict.CHANGE) == 0 ? Termination.OK : Termination.FAILED;
  }

  private List<Finding> brokerFindings() throws InterruptedException {
    return admin == null
        ? List.of()
        : BrokerChecks.of(get(AdminClient.url(admin), "/overview?scope=node"));
  }

  private JsonObject get(URI node, String path) throws InterruptedException {
    try {
      return AdminPorts.client(tokenFile, ca).get(node, path);
    } catch (CommandFailure e) {
      throw new CommandFailure(admin + ": " + e.getMessage(), e);
    }
  }

  // The node lists the busiest entry first. All nodes receive all messages of their topics.
  private double rate() throws InterruptedException {
    if (admin == null) {
      return rate;
    }
    URI node = AdminClient.url(admin);
    if (node == null) {
      throw wrongUse(
          "--admin " + admin + " is not a URL; expected a URL such as http://127.0.0.1:9090");
    }
    JsonObject answer = get(node, "/topics?sort=rate&kind=all&limit=1");
    JsonArray topics = answer.getJsonArray("topics", new JsonArray());
    return topics.isEmpty() ? rate : topics.getJsonObject(0).getDouble("rate", rate);
  }

  private int number(Config config) {
    if (clients != null) {
      return clients;
    }
    return file == null ? DEFAULT_CLIENTS : config.get(LimitSettings.CONNECTIONS);
  }
}
