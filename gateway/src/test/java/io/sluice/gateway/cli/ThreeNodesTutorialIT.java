package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestProgram;
import io.sluice.testkit.CommandResult;
import io.sluice.testkit.Loopback;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tutorial about three nodes behind a load balancer, with the files that its page shows. */
@Tag("full")
@Timeout(400)
final class ThreeNodesTutorialIT {
  private static final Path FILES = Path.of("..", "docs", "tutorials", "three-nodes");
  private static final Path SDK = Path.of("..", "js-client").toAbsolutePath().normalize();
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Line that the client prints every second. */
  private static final Pattern COUNTS =
      Pattern.compile(
          "(\\S+) ([\\d.]+), (\\d+) messages, (\\d+) missing, (\\d+) repeated, complete for (\\d+)"
              + " s");

  /** Twice {@code resume.margin} of the nodes, and some more: such a client can move. */
  private static final int MOVABLE_AFTER_S = 5;

  @TempDir private Path folder;

  private String host;

  /** Copies the files, with a free loopback address instead of 127.0.0.1. */
  @BeforeEach
  void copyFiles() throws IOException {
    host = Loopback.address();
    try (Stream<Path> files = Files.list(FILES)) {
      for (Path file : files.toList()) {
        Path copy = folder.resolve(file.getFileName());
        Files.writeString(copy, Files.readString(file).replace("127.0.0.1", host));
        assertThat(copy.toFile().setExecutable(Files.isExecutable(file))).isTrue();
      }
    }
    Files.createDirectories(client().getParent());
    Files.createSymbolicLink(client(), SDK);
    Files.createSymbolicLink(webSockets(), SDK.resolve(Path.of("node_modules", "ws")));
  }

  private Path client() {
    return folder.resolve(Path.of("node_modules", "@sluice", "client"));
  }

  private Path webSockets() {
    return folder.resolve(Path.of("node_modules", "ws"));
  }

  @AfterEach
  void end() throws IOException {
    Files.delete(client());
    Files.delete(webSockets());
    for (int number = 1; number <= 3; number++) {
      Path pid = folder.resolve("gw-" + number + ".pid");
      if (Files.exists(pid)) {
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
            .ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  @Test
  void shouldLoseNothingDuringARollingUpgrade() throws Exception {
    Optional<String> program = TestProgram.provide("haproxy");
    assumeTrue(program.isPresent(), "there is no HAProxy, see above");
    try (TestBroker broker = TestBroker.start("artemis");
        SluiceProcess feed =
            SluiceProcess.start("feed", "--broker", broker.url(), "--market", "--topics", "10")) {
      useBroker(broker.url());
      script("node.sh", "start", "1");
      script("node.sh", "start", "2");
      script("node.sh", "start", "3");
      try (SluiceProcess balancer = start(program.get(), "-db", "-f", file("haproxy.cfg"));
          SluiceProcess client = start("node", file("client.mjs"), "ws://" + host + ":8000/ws")) {
        assertLosesNothing(client);
        assertThat(feed.errors()).noneMatch(line -> line.contains("feed.broker-lost"));
        assertThat(ProcessHandle.of(balancer.pid())).as("HAProxy").isPresent();
      }
    }
  }

  private void assertLosesNothing(SluiceProcess client) throws Exception {
    awaitCounts(client, counts -> Integer.parseInt(counts.group(6)) >= MOVABLE_AFTER_S);
    script("upgrade.sh");
    long messages = Long.parseLong(counts(client).group(3));
    MatchResult end =
        awaitCounts(client, counts -> Long.parseLong(counts.group(3)) > messages + 10);

    assertThat(client.output().stream().filter(line -> line.startsWith("open gw-")))
        .as("nodes of the client, with %s", client.output())
        .hasSizeGreaterThan(1);
    assertThat(client.output()).noneMatch(line -> line.startsWith("messages may be missing"));
    assertThat(end.group(4)).as("missing messages, with %s", client.output()).isEqualTo("0");
    assertThat(end.group(5)).as("repeated messages, with %s", client.output()).isEqualTo("0");
  }

  private void useBroker(String url) throws IOException {
    Path configuration = folder.resolve("node.yaml");
    String text = Files.readString(configuration);
    String inThePage = "tcp://" + host + ":61616";
    assertThat(text).containsOnlyOnce(inThePage);
    Files.writeString(configuration, text.replace(inThePage, url));
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private static SluiceProcess start(String program, String... arguments) {
    return SluiceProcess.start(List.of(program), arguments);
  }

  /** Runs a script of the page to its end. */
  private void script(String name, String... arguments) throws Exception {
    List<String> command = Stream.concat(Stream.of(file(name)), Stream.of(arguments)).toList();
    Map<String, String> environment =
        Map.of(
            "SLUICE", Path.of("..").toAbsolutePath().normalize().toString(),
            "SLUICE_JAVA_OPTS", SluiceProcess.javaOptions());
    CommandResult result = CommandResult.of(environment, command);
    assertThat(result.code()).as("%s: %s%s", command, result.output(), logs()).isZero();
  }

  private String logs() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int number = 1; number <= 3; number++) {
      Path log = folder.resolve("gw-" + number + ".log");
      if (Files.exists(log)) {
        text.append("gw-").append(number).append(":\n").append(Files.readString(log));
      }
    }
    return text.toString();
  }

  private static MatchResult awaitCounts(SluiceProcess client, Predicate<MatchResult> condition) {
    return await("the client's counts")
        .atMost(PATIENCE)
        .until(() -> counts(client), counts -> counts != null && condition.test(counts));
  }

  /** Returns the latest counts of the client; null before the first price. */
  private static MatchResult counts(SluiceProcess client) {
    return client.output().stream()
        .map(COUNTS::matcher)
        .filter(Matcher::matches)
        .map(Matcher::toMatchResult)
        .reduce((one, next) -> next)
        .orElse(null);
  }
}
