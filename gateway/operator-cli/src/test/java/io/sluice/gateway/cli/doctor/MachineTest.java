package io.sluice.gateway.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of reading this machine's files; those of the kernel are not ordinary files. */
final class MachineTest {
  private final Machine machine = new Machine(Path.of("/"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "proc/sys/fs/nr_open",
        "proc/sys/net/core/somaxconn",
        "proc/sys/net/ipv4/tcp_rmem",
        "proc/sys/vm/max_map_count",
        "proc/self/cgroup"
      })
  void shouldReadTheSameTextAsOtherPrograms(String path) throws IOException, InterruptedException {
    assumeThat(machine.has(path)).as("/" + path).isTrue();
    Process cat = new ProcessBuilder("cat", "/" + path).start();
    String expected = new String(cat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(cat.waitFor()).isZero();

    assertThat(machine.text(path)).hasValue(expected.strip());
  }

  @Test
  void shouldReturnEmptyForAMissingFile() {
    assertThat(machine.text("proc/sys/no/such/setting")).isEmpty();
    assertThat(machine.number("proc/sys/no/such/setting")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "7,7",
    "max,9223372036854775807",
    "unlimited,9223372036854775807",
    "9223372036854775807,9223372036854775807",
    "18446744073709551615,9223372036854775807"
  })
  void shouldTreatTheLargestNumberAsNoLimit(String text, long number) {
    assertThat(Machine.parse(text)).isEqualTo(number);
  }
}
