package io.sluice.gateway.autobahn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Runs {@code wstest} of autobahntestsuite against {@code /echo} of a node with larger sizes and
 * otherwise default limits. Ends with 1 and names the cases that failed, and with 2 where there is
 * no {@code wstest}. Arguments: the program, if it is not on the {@code PATH}, and the cases, all
 * by default.
 */
final class AutobahnSuite {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MOST_BYTES = 32L * 1024 * 1024;
  private static final long TIMEOUT_MINUTES = 60;
  private static final String AGENT = "sluice";

  private final String program;
  private final List<String> cases;
  private final Path folder;

  private AutobahnSuite(String program, List<String> cases, Path folder) {
    this.program = program;
    this.cases = cases;
    this.folder = folder;
  }

  /** The program. */
  public static void main(String[] arguments) throws Exception {
    List<String> given = List.of(arguments);
    boolean named = !given.isEmpty() && given.get(0).contains("wstest");
    Optional<String> program = find(named ? given.get(0) : "wstest");
    if (program.isEmpty()) {
      System.err.println(
          "no "
              + (named ? given.get(0) : "wstest on the PATH")
              + "; it is part of autobahntestsuite 25.10.1, which needs Python 2.7 (CPython or"
              + " PyPy): python2.7 -m pip install autobahntestsuite==25.10.1 autobahn==0.10.9"
              + " txaio==2.1.0 Twisted==20.3.0 klein==20.6.0 Jinja2==2.11.3 wsaccel==0.6.2, or"
              + " name it by -Dsluice.wstest=PATH");
      System.exit(2);
    }
    List<String> cases = given.subList(named ? 1 : 0, given.size());
    Path folder = Files.createTempDirectory("autobahn");
    System.exit(
        new AutobahnSuite(program.get(), cases.isEmpty() ? List.of("*") : cases, folder).run());
  }

  private static Optional<String> find(String name) {
    List<Path> places = new ArrayList<>();
    if (name.contains("/")) {
      places.add(Path.of(name));
    } else {
      for (String folder : System.getenv("PATH").split(":")) {
        places.add(Path.of(folder, name));
      }
    }
    return places.stream().filter(Files::isExecutable).map(Path::toString).findFirst();
  }

  // Nothing listens where the broker is: the echo needs none.
  private static Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(ServerSettings.ECHO, true)
        .with(LimitSettings.MESSAGE_BYTES, MOST_BYTES)
        .with(LimitSettings.PENDING_BYTES, 2 * MOST_BYTES);
  }

  private int run() throws IOException, InterruptedException {
    try (TestNode node = TestNode.start(config())) {
      System.out.println("transport: " + node.gateway().transport() + ", report: " + folder);
      Path spec = folder.resolve("spec.json");
      JSON.writeValue(spec.toFile(), spec("ws://127.0.0.1:" + node.gateway().port() + "/echo"));
      runSuite(spec);
    }
    return judge(JSON.readTree(folder.resolve("index.json").toFile()).path(AGENT));
  }

  private Map<String, Object> spec(String url) {
    return Map.of(
        "outdir",
        folder.toString(),
        "servers",
        List.of(Map.of("agent", AGENT, "url", url)),
        "cases",
        cases,
        "exclude-cases",
        List.of());
  }

  private void runSuite(Path spec) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(program, "-m", "fuzzingclient", "-s", spec.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("wstest.txt").toFile())
            .start();
    if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException(program + " does not end; its output: " + folder);
    }
    if (process.exitValue() != 0 || !Files.exists(folder.resolve("index.json"))) {
      throw new IOException(program + " ended with " + process.exitValue() + ": " + folder);
    }
  }

  private static int judge(JsonNode results) {
    Map<String, Integer> counts = new TreeMap<>();
    List<String> failed = new ArrayList<>();
    for (Map.Entry<String, JsonNode> result : results.properties()) {
      String behavior = result.getValue().path("behavior").asText();
      String close = result.getValue().path("behaviorClose").asText();
      counts.merge(behavior, 1, Integer::sum);
      if (isBad(behavior) || isBad(close)) {
        failed.add(
            "FAILED %s: %s, close %s %s"
                .formatted(
                    result.getKey(), behavior, close, result.getValue().path("remoteCloseCode")));
      }
    }
    System.out.println(results.size() + " cases: " + counts);
    failed.forEach(System.out::println);
    return failed.isEmpty() && !results.isEmpty() ? 0 : 1;
  }

  private static boolean isBad(String behavior) {
    return switch (behavior) {
      case "OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED" -> false;
      default -> true;
    };
  }
}
