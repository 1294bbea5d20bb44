package io.sluice.loadtest.result;

import com.sun.management.OperatingSystemMXBean;
import io.netty.util.Version;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Machine that a measurement ran on. Immutable, for any thread.
 *
 * @param system name and release of the operating system
 * @param processor the model; empty if unknown
 * @param cores number of cores available to the process
 * @param memoryBytes total memory of the machine
 */
public record MachineDescription(String system, String processor, int cores, long memoryBytes) {
  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

  /** Returns the description of the machine on which this process runs. */
  public static MachineDescription here() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new MachineDescription(
        system.getName() + " " + system.getVersion() + " " + system.getArch(),
        processor(PROCESSORS),
        system.getAvailableProcessors(),
        system.getTotalMemorySize());
  }

  /** Returns the processor's model from Linux' {@code cpuinfo}, or an empty string. */
  static String processor(Path list) {
    try (Stream<String> lines = Files.lines(list)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      // Not Linux: the name is optional.
      return "";
    }
  }

  /**
   * Returns the versions that a measurement runs on, by name.
   *
   * @param gateway version reported by the gateway; empty if unknown
   */
  public static Map<String, String> versions(String gateway) {
    Map<String, String> versions = new TreeMap<>();
    versions.put("Java of the load test", System.getProperty("java.runtime.version"));
    versions.put(
        "Netty of the load test", Version.identify().get("netty-common").artifactVersion());
    gatling().ifPresent(version -> versions.put("Gatling", version));
    if (!gateway.isEmpty()) {
      versions.put("gateway", gateway);
    }
    return versions;
  }

  // Gatling is on the class path for simulations only; other commands must run without it.
  private static Optional<String> gatling() {
    try {
      Class<?> simulation = Class.forName("io.gatling.javaapi.core.Simulation");
      return Optional.ofNullable(simulation.getPackage().getImplementationVersion());
    } catch (ClassNotFoundException absent) {
      return Optional.empty();
    }
  }
}
