package io.sluice.loadtest.broker;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.loadtest.result.MachineDescription;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Where this process runs, and on what. Stateless. */
final class ThisMachine {
  private static final Path PROCESSOR = Path.of("/proc/cpuinfo");
  private static final String MODEL = "model name";

  private ThisMachine() {}

  static MachineDescription describe() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new MachineDescription(
        system.getName() + " " + system.getVersion() + " " + system.getArch(),
        processor(),
        Runtime.getRuntime().availableProcessors(),
        system.getTotalMemorySize());
  }

  private static String processor() {
    if (!Files.isReadable(PROCESSOR)) {
      return "";
    }
    try (Stream<String> lines = Files.lines(PROCESSOR)) {
      return lines
          .filter(line -> line.startsWith(MODEL))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      return "";
    }
  }

  /** Versions by name; with the kind of file system if there is a folder. */
  static Map<String, String> versions(Path folder) throws IOException {
    Map<String, String> versions = new TreeMap<>();
    versions.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    if (folder != null) {
      versions.put("file system", Files.getFileStore(folder).type());
    }
    return versions;
  }
}
