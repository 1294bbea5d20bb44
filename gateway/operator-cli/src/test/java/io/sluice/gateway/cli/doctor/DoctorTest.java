package io.sluice.gateway.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.cli.doctor.Finding.Verdict;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.KafkaSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the findings for machines, which are folders with Linux' files. */
final class DoctorTest {
  private static final long GIB = 1024L * 1024 * 1024;
  private static final JavaFacts JAVA = new JavaFacts(25, true, 8 * GIB);
  private static final Config CONFIG = Config.defaults().with(LimitSettings.CONNECTIONS, 1_000_000);

  @TempDir private Path folder;
  private TestMachine machine;

  @BeforeEach
  void create() {
    machine = new TestMachine(folder);
  }

  private Doctor examine(Config config, JavaFacts java) {
    return Doctor.examine(machine.machine(), new Requirements(1_000_000, 0, config), java);
  }

  private Doctor examine() {
    return examine(CONFIG, JAVA);
  }

  private static List<Finding> changes(Doctor doctor) {
    return doctor.findings().stream().filter(f -> f.verdict() == Verdict.CHANGE).toList();
  }

  private Finding finding(String check) {
    return examine().findings().stream()
        .filter(finding -> finding.check().equals(check))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldRequireHistoryThatIsLongerThanTheAbsenceOfAClient() {
    Config brief = CONFIG.with(HistorySettings.AGE, Duration.ofSeconds(20));
    Requirements busy = new Requirements(1_000_000, 40, brief);
    assertThat(changes(Doctor.examine(machine.machine(), busy, JAVA)))
        .extracting(finding -> finding.remedy().line())
        .containsExactly("history.messages: 3600", "history.age: 90s");
    assertThat(finding("history.messages").found()).isEqualTo("1,000, enough for 11.1/s");
  }

  @Test
  void shouldAcceptAMachineForAMillionClients() {
    Doctor doctor = examine();

    assertThat(changes(doctor)).isEmpty();
    assertThat(doctor.findings())
        .filteredOn(finding -> finding.verdict() == Verdict.UNKNOWN)
        .extracting(Finding::check)
        .containsExactly("offset of the clock", "identity of messages");
  }

  /** The page's settings, on a machine that has no others. */
  @Test
  void shouldAgreeWithThePageAboutAMillion() throws IOException {
    String page = Files.readString(Path.of("..", "..", "docs", "operations", "sizing.md"));
    String begin = "<!-- kernel: held against sluice doctor by a test -->\n```\n";
    assertThat(page).containsOnlyOnce(begin);
    int from = page.indexOf(begin) + begin.length();
    List<String> lines = page.substring(from, page.indexOf("```", from)).lines().toList();
    assertThat(lines).hasSizeGreaterThan(8);
    for (String line : lines) {
      String[] setting = line.split(" = ");
      machine.set(setting[0], setting[1]);
    }

    assertThat(changes(examine())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "fs.nr_open | 1000999 | fs.nr_open = 1001000",
        "fs.file-max | 1002983 | fs.file-max = 1002984",
        "net.core.somaxconn | 62499 | net.core.somaxconn = 62500",
        "net.ipv4.tcp_max_syn_backlog | 62499 | net.ipv4.tcp_max_syn_backlog = 62500",
        "net.ipv4.tcp_mem | 1 999999 2 | net.ipv4.tcp_mem = 750000 1000000 1500000",
        "net.ipv4.tcp_rmem | 4096 131072 262145 | net.ipv4.tcp_rmem = 4096 131072 262144",
        "net.ipv4.tcp_wmem | 4096 999999 4194304 | net.ipv4.tcp_wmem = 4096 262144 262144",
        "net.netfilter.nf_conntrack_max | 1499999 | net.netfilter.nf_conntrack_max = 1500000",
        "vm.max_map_count | 65529 | vm.max_map_count = 65530",
        "kernel.io_uring_disabled | 1 | kernel.io_uring_disabled = 0",
        "kernel.io_uring_disabled | 2 | kernel.io_uring_disabled = 0",
      })
  void shouldPrintTheLineForASettingThatIsTooSmall(String key, String value, String line) {
    machine.set(key, value);

    assertThat(changes(examine()))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.check()).isEqualTo(key);
              assertThat(finding.wanted()).isNotEmpty();
              assertThat(finding.remedy()).isEqualTo(new Remedy(Remedy.SYSCTL, line));
            });
  }

  @Test
  void shouldAcceptTheSettingThatItRecommends() {
    machine.set("net.ipv4.tcp_mem", "1 2 3");
    machine.set("net.ipv4.tcp_wmem", "4096 16384 4194304");

    for (Finding finding : changes(examine())) {
      String[] line = finding.remedy().line().split(" = ");
      machine.set(line[0], line[1]);
    }

    assertThat(changes(examine())).isEmpty();
  }

  @Test
  void shouldCheckOnlyTheHardLimitOfDescriptors() {
    machine.descriptors("1024", "1001000");
    assertThat(finding("descriptors of a process"))
        .extracting(Finding::verdict, Finding::found)
        .containsExactly(Verdict.OK, "1,001,000 (soft 1,024)");

    machine.descriptors("1000999", "1000999");
    assertThat(finding("descriptors of a process").remedy().line())
        .isEqualTo("LimitNOFILE=1001000");

    machine.descriptors("1024", "unlimited");
    assertThat(finding("descriptors of a process").verdict()).isEqualTo(Verdict.OK);
  }

  @Test
  void shouldAcceptAShortSynBacklogWithSynCookies() {
    machine.set("net.ipv4.tcp_max_syn_backlog", "128");
    machine.set("net.ipv4.tcp_syncookies", "1");

    assertThat(changes(examine())).isEmpty();
  }

  @Test
  void shouldAcceptAMissingConnectionTable() {
    machine.remove("proc/sys/net/netfilter/nf_conntrack_max");

    assertThat(finding("net.netfilter.nf_conntrack_max"))
        .extracting(Finding::verdict, Finding::found)
        .containsExactly(Verdict.OK, "not present");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1024 65535 | '' | CHANGE",
        "8080 8080 | '' | CHANGE",
        "8081 65535 | '' | OK",
        "1024 65535 | 8080 | OK",
        "1024 65535 | 1,8000-9000 | OK",
        "1024 65535 | 1,8081-9000 | CHANGE",
      })
  void shouldReserveTheNodesPortFromOutgoingConnections(
      String range, String reserved, Verdict verdict) {
    machine.set("net.ipv4.ip_local_port_range", range);
    machine.set("net.ipv4.ip_local_reserved_ports", reserved);

    Finding finding = finding("net.ipv4.ip_local_port_range");

    assertThat(finding.verdict()).isEqualTo(verdict);
    assertThat(finding.remedy().line())
        .isEqualTo(verdict == Verdict.OK ? "" : "net.ipv4.ip_local_reserved_ports = 8080");
  }

  @Test
  void shouldNameTheKeysThatTheNodeNeeds() {
    Doctor doctor = examine(Config.defaults(), JAVA);

    assertThat(changes(doctor))
        .extracting(finding -> finding.remedy().line())
        .containsExactly("limits.per-node.connections: 1000000");
  }

  @Test
  void shouldReckonMemoryByTheClients() {
    machine.memory(7_700_000, 0);
    assertThat(finding("memory"))
        .extracting(Finding::verdict, Finding::wanted)
        .containsExactly(Verdict.OK, "7.3 GiB or more");

    machine.memory(7_600_000, 0);
    assertThat(finding("memory"))
        .extracting(Finding::verdict, finding -> finding.remedy().place())
        .containsExactly(Verdict.CHANGE, "the machine");
  }

  @Test
  void shouldReportThatTlsIsNotMeasured() {
    Doctor doctor = examine(CONFIG.with(ServerSettings.TLS_CERTIFICATE, "node.pem"), JAVA);

    assertThat(doctor.findings())
        .filteredOn(finding -> finding.check().equals("memory"))
        .singleElement()
        .extracting(Finding::why)
        .asString()
        .contains("without TLS, which is not measured");
  }

  @Test
  void shouldUseTheLimitOfTheControlGroupIfItIsLower() {
    machine.put("sys/fs/cgroup/system.slice/sluice.service/memory.max", "1073741824\n");
    machine.put("sys/fs/cgroup/system.slice/cpu.max", "50000 100000\n");

    assertThat(finding("memory"))
        .extracting(Finding::verdict, Finding::found, finding -> finding.remedy().line())
        .containsExactly(Verdict.CHANGE, "1.0 GiB (of the control group)", "MemoryMax=7492M");
    assertThat(finding("limit of processors"))
        .extracting(Finding::verdict, Finding::found)
        .containsExactly(Verdict.CHANGE, "0.5");
  }

  @Test
  void shouldRequireTheHeapOfSessions() {
    assertThat(changes(examine(CONFIG, new JavaFacts(25, true, GIB / 2))))
        .singleElement()
        .extracting(finding -> finding.remedy().line())
        .isEqualTo("Environment=SLUICE_JAVA_OPTS=-Xmx701m");
  }

  @Test
  void shouldPutOptionsOfJavaIntoOneLine() {
    Doctor doctor = examine(CONFIG, new JavaFacts(25, false, GIB / 2));
    assertThat(Report.lines(doctor))
        .contains("  Environment=\"SLUICE_JAVA_OPTS=-Xmx701m -XX:+UseCompactObjectHeaders\"")
        .doesNotContain("  Environment=SLUICE_JAVA_OPTS=-Xmx701m");
  }

  @Test
  void shouldMindSwapOnlyWhereThereIsSome() {
    assertThat(finding("vm.swappiness").found()).isEqualTo("no swap");

    machine.memory(32L * 1024 * 1024, 1024 * 1024);
    assertThat(finding("vm.swappiness"))
        .extracting(Finding::found, finding -> finding.remedy().line())
        .containsExactly("60, with 1.0 GiB of swap", "vm.swappiness = 1");

    machine.set("vm.swappiness", "10");
    assertThat(finding("vm.swappiness").verdict()).isEqualTo(Verdict.OK);
  }

  @Test
  void shouldRecommendAFastClockSource() {
    String current = "sys/devices/system/clocksource/clocksource0/current_clocksource";
    machine.put(current, "hpet\n");
    assertThat(finding("clock source").remedy())
        .isEqualTo(new Remedy("the kernel's command line", "clocksource=tsc"));

    machine.put("sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet\n");
    assertThat(finding("clock source").remedy().place()).isEqualTo("the machine");

    machine.put(current, "kvm-clock\n");
    assertThat(finding("clock source").verdict()).isEqualTo(Verdict.OK);
  }

  @Test
  void shouldReturnUnknownForIoUringWithASeccompFilter() {
    machine.put("proc/self/status", "Name:\tjava\nSeccomp:\t2\n");

    assertThat(finding("kernel.io_uring_disabled").verdict()).isEqualTo(Verdict.UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource({"17,false,25 or later", "25,false,with compact headers", "25,true,''"})
  void shouldRecommendCompactObjectHeaders(int version, boolean compact, String wanted) {
    Doctor doctor = examine(CONFIG, new JavaFacts(version, compact, 8 * GIB));

    assertThat(changes(doctor).stream().map(Finding::wanted).collect(Collectors.joining()))
        .isEqualTo(wanted);
  }

  @Test
  void shouldSeeAContainer() {
    assertThat(finding("container").found()).isEqualTo("not detected");

    machine.put(".dockerenv", "");

    assertThat(finding("container").found()).isEqualTo("yes");
  }

  /** As on other systems, or where files hold what they never held. */
  @Test
  void shouldReturnUnknownForMissingFiles() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));

    Doctor doctor =
        Doctor.examine(new Machine(empty), new Requirements(1_000_000, 0, CONFIG), JAVA);

    assertThat(changes(doctor)).isEmpty();
    assertThat(doctor.count(Verdict.UNKNOWN)).isEqualTo(16);
  }

  @Test
  void shouldDemandVerifiableIdentities() {
    Config disabled = CONFIG.with(BrokerSettings.CANARY_PREFIX, "");
    assertThat(identity(disabled).verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(identity(disabled).remedy().line()).isEqualTo("broker.canary.prefix: sluice.canary");
    Config property = disabled.with(BrokerSettings.IDENTITY_PROPERTY, "uid");
    assertThat(identity(property).verdict()).isEqualTo(Verdict.OK);
  }

  @Test
  void shouldDemandNoCanariesOfSourcesThatNumberMessages() {
    for (Setting<List<String>> servers : List.of(KafkaSettings.SERVERS, NatsSettings.SERVERS)) {
      Config numbered =
          CONFIG.with(servers, List.of("one:1")).with(BrokerSettings.CANARY_PREFIX, "");
      assertThat(identity(numbered).verdict()).isEqualTo(Verdict.OK);
    }
  }

  private static Finding identity(Config config) {
    return IdentityChecks.of(config).get(0);
  }

  @Test
  void shouldReturnUnknownForMalformedFiles() {
    for (String key : List.of("fs.nr_open", "net.ipv4.tcp_mem", "net.core.somaxconn")) {
      machine.set(key, "some words");
      assertThat(finding(key).verdict()).as(key).isEqualTo(Verdict.UNKNOWN);
    }
    machine.set("net.ipv4.tcp_mem", "1 2");
    assertThat(finding("net.ipv4.tcp_mem").verdict()).isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void shouldReportForPeopleWithTheLinesOfEachFileTogether() {
    machine.set("fs.nr_open", "1024");
    machine.set("net.core.somaxconn", "128");
    machine.descriptors("1024", "4096");

    List<String> lines = Report.lines(examine());

    assertThat(lines)
        .contains(
            "This machine for 1,000,000 clients:",
            "change   fs.nr_open: 1,024; wanted: 1,001,000 or more",
            "ok       vm.swappiness: no swap")
        .containsSequence(
            "For /etc/sysctl.d/90-sluice.conf, read by sysctl --system:",
            "  fs.nr_open = 1001000",
            "  net.core.somaxconn = 62500")
        .containsSequence("For the node's systemd unit, [Service]:", "  LimitNOFILE=1001000")
        .endsWith("3 to change, 2 unknown, 19 fine");
  }

  @Test
  void shouldReportForPrograms() {
    machine.set("fs.nr_open", "1024");

    JsonObject json = Report.json(examine());

    assertThat(json.getInteger("clients")).isEqualTo(1_000_000);
    assertThat(json.getJsonArray("findings").stream().map(JsonObject.class::cast))
        .filteredOn(finding -> finding.getString("check").equals("fs.nr_open"))
        .singleElement()
        .isEqualTo(
            new JsonObject()
                .put("check", "fs.nr_open")
                .put("verdict", "change")
                .put("found", "1,024")
                .put("wanted", "1,001,000 or more")
                .put("why", "no process can have more descriptors")
                .put("place", "/etc/sysctl.d/90-sluice.conf")
                .put("line", "fs.nr_open = 1001000"));
  }
}
