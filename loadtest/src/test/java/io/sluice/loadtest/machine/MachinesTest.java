package io.sluice.loadtest.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.result.MachineDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachinesTest {
  @TempDir private Path folder;

  @Test
  void shouldDescribeTheMachineThatItRunsOn() {
    MachineDescription machine = Machines.here();

    assertThat(machine.system()).startsWith(System.getProperty("os.name"));
    assertThat(machine.cores()).isPositive();
    assertThat(machine.memoryBytes()).isGreaterThan(1 << 20);
  }

  @Test
  void shouldFindTheProcessorsName() throws IOException {
    Path list = folder.resolve("cpuinfo");
    Files.writeString(list, "processor\t: 0\nmodel name\t: Some CPU @ 3.3 GHz\nmodel name\t: b\n");

    assertThat(Machines.processor(list)).isEqualTo("Some CPU @ 3.3 GHz");
    assertThat(Machines.processor(folder.resolve("none"))).isEmpty();
  }
}
