package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.cli.command.Termination;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Commands that change a running node. */
@Timeout(180)
final class LiveCommandsIT {
  private static final String FILE = "broker.url: tcp://127.0.0.1:1\n";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;
  private Path file;
  private SluiceProcess node;
  private String admin;

  @BeforeEach
  void start() throws IOException {
    file = Files.writeString(folder.resolve("sluice.yaml"), FILE);
    node =
        SluiceProcess.start(
            "run", "--config", file.toString(), "--anonymous", "--port", "0", "--admin-port", "0");
    admin = node.awaitLine("admin: (http://127.0.0.1:\\d+)/health/ready").group(1);
    SluiceProcess.awaitStatus(admin + "/health/live", 200);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private int execute(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = Sluice.commandLine(NodeStarter::startGateway, new Termination());
    return line.setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Tag("full")
  @Test
  void shouldReloadAndPrintTheChanges() throws IOException {
    Files.writeString(file, FILE + "limits.subscriptions: 7\ntimeouts.drain: 7s\n");

    assertThat(execute("reload", "--admin", admin)).isZero();

    assertThat(out.toString().lines())
        .containsExactly(
            admin
                + ": applied limits.subscriptions; restart timeouts.drain (it is read at the start"
                + " only)");
    assertThat(execute("reload", "--admin", admin)).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            admin + ": applied none; restart timeouts.drain (it is read at the start only)");
  }

  @Tag("full")
  @Test
  void shouldPrintWhatAReloadWouldChange() throws IOException {
    Files.writeString(file, FILE + "permissions.rules: [{if: {team: fx}, subscribe: [a.>]}]\n");

    assertThat(execute("reload", "--dry-run", "--admin", admin)).isZero();

    assertThat(out.toString().lines())
        .containsExactly(
            admin
                + ": would apply permissions.rules; restart none; sessions that lose permissions 0;"
                + " claims that sessions lack until a refresh team");
  }

  @Tag("full")
  @Test
  void shouldPrintTheProblemsOfAFileAndContinueWithOtherNodes() throws IOException {
    Files.writeString(file, FILE + "limits.subscriptions: many\ntimeouts.drain: long\n");

    int code = execute("reload", "--admin", "http://127.0.0.1:1," + admin);

    assertThat(code).isEqualTo(1);
    List<String> lines = err.toString().lines().toList();
    assertThat(lines).hasSize(5);
    assertThat(lines.get(0)).isEqualTo("http://127.0.0.1:1: not reachable: connection refused");
    assertThat(lines.get(1))
        .startsWith(admin + ": " + file + ":2:23: limits.subscriptions: \"many\" is not");
    assertThat(lines.get(2))
        .startsWith(admin + ": " + file + ":3:17: timeouts.drain: \"long\" is not");
    assertThat(lines.get(3)).isEqualTo(admin + ": its file has problems; nothing has changed");
    assertThat(lines.get(4)).isEqualTo("sluice reload: 2 of 2 nodes failed");
  }

  @Tag("full")
  @Test
  void shouldChangeTheLevelOfALogger() {
    String[] debug = {"log-level", "--admin", admin, "--for", "10m", "io.sluice.gateway", "DEBUG"};
    assertThat(execute(debug)).as(err.toString()).isZero();
    assertThat(out.toString().lines()).containsExactly(admin + ": io.sluice.gateway debug");

    assertThat(execute("log-level", "--admin", admin, "io.sluice.gateway", "configured")).isZero();
    assertThat(out.toString().lines()).containsExactly(admin + ": io.sluice.gateway info");

    assertThat(execute("log-level", "--admin", admin, "io.sluice", "loud")).isEqualTo(1);
    assertThat(err.toString()).contains("400 \"loud\" is not a level");
    assertThat(execute("log-level", "--admin", admin, "--for", "9d", "io.sluice", "info"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("for is not a whole number of seconds from 1 to 604800");
    assertThat(execute("log-level", "--admin", admin, "--for", "soon", "io.sluice", "info"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--for soon is not a duration");
  }
}
