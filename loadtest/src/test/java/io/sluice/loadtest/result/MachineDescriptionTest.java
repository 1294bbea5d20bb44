package io.sluice.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineDescriptionTest {
  @TempDir private Path folder;

  @Test
  void shouldDescribeTheMachineThatItRunsOn() {
    MachineDescription machine = MachineDescription.here();

    assertThat(machine.system()).startsWith(System.getProperty("os.name"));
    assertThat(machine.cores()).isPositive();
    assertThat(machine.memoryBytes()).isGreaterThan(1 << 20);
  }

  @Test
  void shouldFindTheProcessorsName() throws IOException {
    Path list = folder.resolve("cpuinfo");
    Files.writeString(list, "processor\t: 0\nmodel name\t: Some CPU @ 3.3 GHz\nmodel name\t: b\n");

    assertThat(MachineDescription.processor(list)).isEqualTo("Some CPU @ 3.3 GHz");
    assertThat(MachineDescription.processor(folder.resolve("none"))).isEmpty();
  }
}
