package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestProgram;
import io.sluice.testkit.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * MIT KDC with two realms that trust each other, and its clients. It runs as the user of the test
 * on a free port, with all files in one folder. Bound to one thread.
 */
public final class TestKdc implements AutoCloseable {
  public static final String REALM = "SLUICE.TEST";
  public static final String OTHER_REALM = "OTHER.TEST";
  public static final String SPNEGO = "1.3.6.1.5.5.2";
  public static final String KERBEROS = "1.2.840.113554.1.2.2";

  private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();

  private final Path programs;
  private final Path folder;
  private final List<Process> processes = new ArrayList<>();
  private int keytabs;
  private Clients clients;

  private TestKdc(Path programs, Path folder) {
    this.programs = programs;
    this.folder = folder;
  }

  /**
   * Starts a KDC in an empty folder if one is available; otherwise writes the reason to standard
   * error.
   */
  public static Optional<TestKdc> start(Path folder) throws Exception {
    Optional<String> program = TestProgram.provide("krb5kdc");
    if (program.isEmpty()) {
      return Optional.empty();
    }
    TestKdc kdc = new TestKdc(Path.of(program.get()).toAbsolutePath().getParent(), folder);
    try {
      kdc.create();
    } catch (Exception | Error e) {
      kdc.close();
      throw e;
    }
    return Optional.of(kdc);
  }

  private void create() throws Exception {
    Files.writeString(folder.resolve("any"), "*");
    int port = FreePorts.one();
    write("", port, "");
    for (String realm : List.of(REALM, OTHER_REALM)) {
      run("kdb5_util", "", "-r", realm, "create", "-s", "-P", "master");
      for (String trust : List.of(REALM + "@" + OTHER_REALM, OTHER_REALM + "@" + REALM)) {
        admin(realm, "addprinc -pw trust krbtgt/" + trust);
      }
    }
    clients = new Clients(serve("", port));
  }

  /** Runs a KDC over the same database. */
  private Path serve(String kind, int port, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of("-n", "-r", REALM, "-r", OTHER_REALM));
    command.addAll(List.of(options));
    Path log = folder.resolve("kdc" + kind + ".log");
    Process kdc =
        process("krb5kdc", kind, command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    processes.add(kdc);
    await("the KDC listens, log: " + log)
        .until(
            () -> {
              assertThat(kdc.isAlive()).as(() -> text(log)).isTrue();
              return listens(port);
            });
    return folder.resolve("krb5" + kind + ".conf");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket(HOST, port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private void write(String kind, int port, String option) throws IOException {
    Files.writeString(
        folder.resolve("krb5" + kind + ".conf"),
        """
        [libdefaults]
          default_realm = %1$s
          dns_lookup_kdc = false
          dns_lookup_realm = false
          dns_canonicalize_hostname = false
          rdns = false
          %5$s
        [realms]
          %1$s = {
            kdc = %3$s:%4$d
          }
          %2$s = {
            kdc = %3$s:%4$d
          }
        [domain_realm]
          localhost = %1$s
        %6$s
        """
            .formatted(REALM, OTHER_REALM, HOST, port, option, modules()));
    Files.writeString(
        folder.resolve("kdc" + kind + ".conf"),
        """
        [kdcdefaults]
          kdc_listen = %1$s:%2$d
          kdc_tcp_listen = %1$s:%2$d
        [realms]
          %3$s
          %4$s
        [logging]
          kdc = STDERR
        """
            .formatted(HOST, port, realm(REALM), realm(OTHER_REALM)));
  }

  private String realm(String name) {
    return """
    %1$s = {
        database_name = %2$s/%1$s
        key_stash_file = %2$s/%1$s.stash
        acl_file = %2$s/any
      }\
    """
        .formatted(name, folder);
  }

  /** A KDC that is not installed requires the path of its database module. */
  private String modules() throws IOException {
    try (Stream<Path> files = Files.find(programs, 8, (file, a) -> file.endsWith("kdb/db2.so"))) {
      return files
          .findFirst()
          .map(file -> "[dbmodules]\n  db_module_dir = " + file.getParent())
          .orElse("");
    }
  }

  private ProcessBuilder process(String name, String kind, List<String> arguments) {
    Path beside = programs.resolve(name);
    Path program = Files.exists(beside) ? beside : programs.resolveSibling("bin").resolve(name);
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().putAll(environment(kind));
    return builder;
  }

  private Map<String, String> environment(String kind) {
    return Map.of(
        "KRB5_CONFIG", folder.resolve("krb5" + kind + ".conf").toString(),
        "KRB5_KDC_PROFILE", folder.resolve("kdc" + kind + ".conf").toString(),
        "KRB5CCNAME", "FILE:" + folder.resolve("tickets"));
  }

  private String run(String name, String input, String... arguments) throws Exception {
    Process process = process(name, "", List.of(arguments)).redirectErrorStream(true).start();
    try (PrintWriter in = new PrintWriter(process.outputWriter())) {
      in.print(input);
    }
    String said = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  private void admin(String realm, String query) throws Exception {
    String said = run("kadmin.local", "", "-r", realm, "-q", query);
    assertThat(said).doesNotContain("kadmin.local: ").doesNotContain("while ");
  }

  private static String realmOf(String principal) {
    return principal.substring(principal.lastIndexOf('@') + 1);
  }

  /** Creates principals with random keys. */
  public void add(String... principals) throws Exception {
    for (String each : principals) {
      admin(realmOf(each), "addprinc -randkey " + each);
    }
  }

  /** Limits the lifetime of tickets for a service. */
  public void limit(String service, String life) throws Exception {
    admin(realmOf(service), "modprinc -maxlife \"" + life + "\" " + service);
  }

  /** Writes a keytab with new keys of these principals; their former keys become invalid. */
  public Path keytab(String... principals) throws Exception {
    Path keytab = folder.resolve(++keytabs + ".keytab");
    for (String each : principals) {
      admin(realmOf(each), "ktadd -k " + keytab + " " + each);
    }
    return keytab;
  }

  /** Adds new keys of a principal to its former ones, which the KDC no longer uses. */
  public void rotate(Path keytab, String principal) throws Exception {
    admin(realmOf(principal), "ktadd -k " + keytab + " " + principal);
  }

  /** Removes all but the latest keys of a principal from a keytab. */
  public void forget(Path keytab, String principal) throws Exception {
    admin(realmOf(principal), "ktremove -k " + keytab + " " + principal + " old");
  }

  /** Logs in and requests a ticket. */
  public byte[] ticket(Path keytab, String client, String service) throws Exception {
    return clients.ticket(keytab, client, service, SPNEGO);
  }

  /** Returns a ticket without SPNEGO. */
  public byte[] bareTicket(Path keytab, String client, String service) throws Exception {
    return clients.ticket(keytab, client, service, KERBEROS);
  }

  /** Returns a ticket of a KDC whose clock is late by this time. */
  public byte[] oldTicket(Path keytab, String client, String service, int secondsAgo)
      throws Exception {
    int port = FreePorts.one();
    write("-late", port, "clockskew = 86400");
    Path configuration = serve("-late", port, "-T", "-" + secondsAgo);
    try (Clients late = new Clients(configuration)) {
      return late.ticket(keytab, client, service, SPNEGO);
    }
  }

  /** Logs in; programs with the returned environment find the ticket. */
  public Map<String, String> login(Path keytab, String client) throws Exception {
    run("kinit", "", "-k", "-t", keytab.toString(), client);
    return environment("");
  }

  @Override
  public void close() throws IOException {
    if (clients != null) {
      clients.close();
    }
    processes.forEach(Process::destroy);
    processes.forEach(process -> process.onExit().join());
  }

  /** Process that requests tickets. */
  private static final class Clients implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final PrintWriter in;

    Clients(Path configuration) throws IOException, URISyntaxException {
      Path classes =
          Path.of(TicketMaker.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-Djava.security.krb5.conf=" + configuration,
                  "-cp",
                  classes.toString(),
                  TicketMaker.class.getName())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      out = process.inputReader();
      in = new PrintWriter(process.outputWriter(), true);
    }

    byte[] ticket(Path keytab, String client, String service, String mechanism) throws IOException {
      in.println(String.join(" ", keytab.toString(), client, service, mechanism));
      String answer = out.readLine();
      assertThat(answer).as("a ticket of " + client).isNotNull().doesNotStartWith("!");
      return Base64.getDecoder().decode(answer);
    }

    @Override
    public void close() throws IOException {
      in.close(); // it ends with its input
      try (InputStream rest = process.getInputStream()) {
        rest.readAllBytes();
      }
      process.onExit().join();
    }
  }
}
