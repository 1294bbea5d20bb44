package io.sluice.gateway.testssl;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Runs testssl.sh on both ports of a node, with each engine and a certificate of each kind of key.
 * Exits with 1 and lists the findings above low, or with 2 if testssl.sh is not installed. One
 * argument: the program, if it is not on the {@code PATH}.
 */
final class TestsslSuite {
  private static final Map<String, List<String>> KINDS =
      new TreeMap<>(Map.of("EC", List.of(), "RSA", List.of("-keysize", "3072")));
  private static final List<String> ENGINES = List.of("openssl", "jdk");

  private final Testssl testssl;
  private final Path folder;
  private final List<TestsslResult> results = new ArrayList<>();

  private TestsslSuite(Testssl testssl, Path folder) {
    this.testssl = testssl;
    this.folder = folder;
  }

  /** Runs the suite. */
  public static void main(String[] arguments) throws Exception {
    String named = arguments.length == 0 ? "" : arguments[0];
    Optional<Testssl> testssl = Testssl.find(named);
    if (testssl.isEmpty()) {
      System.err.println(
          "no testssl.sh "
              + (named.isEmpty() ? "on the PATH" : "at " + named)
              + "; install it (Debian, Ubuntu: sudo apt-get install testssl.sh), or, without root,"
              + " git clone --branch v3.0.8 --depth 1 https://github.com/testssl/testssl.sh and"
              + " name its testssl.sh by -Dsluice.testssl=PATH; it needs bash, openssl, hexdump and"
              + " dig");
      System.exit(2);
    }
    System.exit(new TestsslSuite(testssl.get(), Files.createTempDirectory("testssl")).run());
  }

  private int run() throws IOException, GeneralSecurityException, InterruptedException {
    for (String kind : KINDS.keySet()) {
      judge(kind);
    }
    if ("write".equals(System.getProperty("sluice.docs"))) {
      TestsslReport.write(testssl.version(), results);
    }
    List<String> faults = results.stream().flatMap(TestsslSuite::faults).toList();
    faults.forEach(System.out::println);
    return faults.isEmpty() ? 0 : 1;
  }

  private static Stream<String> faults(TestsslResult port) {
    Stream<String> bad =
        port.bad().stream()
            .map(
                f ->
                    "FAILED %s: %s is %s: %s"
                        .formatted(port.port(), f.id(), f.severity(), f.text()));
    return port.isWhole()
        ? bad
        : Stream.concat(
            bad, Stream.of("FAILED " + port.port() + ": testssl.sh did not end its work"));
  }

  private void judge(String kind)
      throws IOException, GeneralSecurityException, InterruptedException {
    try (Revocations revocations = Revocations.start()) {
      Path own = Files.createDirectory(folder.resolve(kind));
      TestAuthority authority = TestAuthority.create(own, "authority");
      Issued certificate = issue(authority, kind, revocations);
      revocations.vouch(authority, own);
      for (String engine : ENGINES) {
        Config config = config(authority.chain(certificate), certificate.key());
        judge(kind, config.with(ServerSettings.TLS_ENGINE, engine), authority.certificate(), own);
      }
    }
  }

  private static Issued issue(TestAuthority authority, String kind, Revocations revocations) {
    List<String> extensions = new ArrayList<>(List.of(revocations.extensions()));
    extensions.addAll(List.of("SAN=dns:localhost,ip:127.0.0.1", "eku=serverAuth"));
    extensions.add("ku=digitalSignature");
    List<String> more = new ArrayList<>(KINDS.get(kind));
    more.addAll(List.of("-validity", "90"));
    return authority.issue("node", "CN=localhost", kind, more, extensions.toArray(String[]::new));
  }

  // Nothing listens where the broker is: a node serves its ports without.
  private static Config config(Path chain, Path key) {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(ServerSettings.TLS_CERTIFICATE, chain.toString())
        .with(ServerSettings.TLS_KEY, key.toString())
        .with(ServerSettings.HSTS, Duration.ofDays(365))
        .with(AdminSettings.TLS_CERTIFICATE, chain.toString())
        .with(AdminSettings.TLS_KEY, key.toString());
  }

  private void judge(String kind, Config config, Path authority, Path own)
      throws IOException, InterruptedException {
    String engine = config.get(ServerSettings.TLS_ENGINE);
    try (TestNode node = TestNode.start(config)) {
      judge("clients, " + engine + ", " + kind, node.gateway().port(), authority, own);
      if (engine.equals("jdk")) { // the admin port has no other
        judge("admin, " + kind, node.gateway().adminPort(), authority, own);
      }
    }
  }

  private void judge(String name, int port, Path authority, Path own)
      throws IOException, InterruptedException {
    System.out.println(name);
    TestsslResult result = testssl.judge(name, port, authority, own);
    if (!result.isWhole()) { // on a busy machine it may not get a connection in time
      System.out.println("  once more");
      result = testssl.judge(name, port, authority, own);
    }
    result.findings().stream()
        .filter(Finding::isNotable)
        .forEach(f -> System.out.printf("  %s %s: %s%n", f.severity(), f.id(), f.text()));
    results.add(result);
  }
}
