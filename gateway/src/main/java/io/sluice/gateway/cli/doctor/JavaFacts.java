package io.sluice.gateway.cli.doctor;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * What the virtual machine is that runs a node. Immutable, for any thread.
 *
 * @param version such as 25
 * @param compactHeaders whether its objects have headers of 8 bytes
 * @param heap that it may use, in bytes
 */
public record JavaFacts(int version, boolean compactHeaders, long heap) {

  /** Those of this one, which is started with the options that a node gets. */
  public static JavaFacts ofThis() {
    Runtime runtime = Runtime.getRuntime();
    return new JavaFacts(Runtime.version().feature(), hasCompactHeaders(), runtime.maxMemory());
  }

  private static boolean hasCompactHeaders() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      return options != null
          && Boolean.parseBoolean(options.getVMOption("UseCompactObjectHeaders").getValue());
    } catch (IllegalArgumentException unknown) { // by this version
      return false;
    }
  }
}
