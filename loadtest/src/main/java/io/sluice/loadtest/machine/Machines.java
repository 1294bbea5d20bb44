package io.sluice.loadtest.machine;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.loadtest.result.MachineDescription;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Describes the machine on which this process runs. For any thread. */
public final class Machines {
  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

  private Machines() {}

  /** The one that we are on. */
  public static MachineDescription here() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new MachineDescription(
        system.getName() + " " + system.getVersion() + " " + system.getArch(),
        processor(PROCESSORS),
        system.getAvailableProcessors(),
        system.getTotalMemorySize());
  }

  /** The model's name in Linux' list of processors; empty if there is none. */
  static String processor(Path list) {
    try (Stream<String> lines = Files.lines(list)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      // Not Linux: the measurement is as good without the name.
      return "";
    }
  }
}
