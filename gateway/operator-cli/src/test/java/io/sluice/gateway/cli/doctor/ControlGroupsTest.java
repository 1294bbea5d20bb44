package io.sluice.gateway.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ControlGroupsTest {
  @TempDir private Path folder;
  private TestMachine machine;

  @BeforeEach
  void create() {
    machine = new TestMachine(folder);
  }

  private ControlGroups groups() {
    return new ControlGroups(machine.machine());
  }

  @Test
  void shouldReturnNoLimitIfNoneIsSet() {
    machine.put("sys/fs/cgroup/system.slice/sluice.service/memory.max", "max\n");
    machine.put("sys/fs/cgroup/system.slice/sluice.service/cpu.max", "max 100000\n");

    assertThat(groups().memory()).isEqualTo(Long.MAX_VALUE);
    assertThat(groups().processors()).isEmpty();
  }

  @Test
  void shouldReturnTheMinimumOfTheGroupAndItsAncestors() {
    machine.put("sys/fs/cgroup/system.slice/memory.max", "1000\n");
    machine.put("sys/fs/cgroup/system.slice/sluice.service/memory.max", "2000\n");
    machine.put("sys/fs/cgroup/system.slice/cpu.max", "400000 100000\n");
    machine.put("sys/fs/cgroup/system.slice/sluice.service/cpu.max", "150000 100000\n");

    assertThat(groups().memory()).isEqualTo(1_000);
    assertThat(groups().processors()).hasValue(1.5);
  }

  /** In a container the group's own folder is where all groups are outside. */
  @Test
  void shouldLookWhereTheGroupsBegin() {
    machine.put("proc/self/cgroup", "0::/\n");
    machine.put("sys/fs/cgroup/memory.max", "3000\n");

    assertThat(groups().memory()).isEqualTo(3_000);
  }

  @Test
  void shouldReadTheFirstVersion() {
    machine.put("proc/self/cgroup", "4:memory:/app\n2:cpu,cpuacct:/app\n1:name=systemd:/app\n");
    machine.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    machine.put("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "4000\n");
    machine.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    machine.put("sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "200000\n");
    machine.put("sys/fs/cgroup/cpu/app/cpu.cfs_period_us", "100000\n");

    assertThat(groups().memory()).isEqualTo(4_000);
    assertThat(groups().processors()).hasValue(2);
  }
}
