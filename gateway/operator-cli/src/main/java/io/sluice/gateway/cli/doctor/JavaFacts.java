package io.sluice.gateway.cli.doctor;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * Properties of the Java virtual machine. Immutable, for any thread.
 *
 * @param version feature version, such as 25
 * @param compactHeaders whether object headers have 8 bytes
 * @param heap maximum heap, in bytes
 */
public record JavaFacts(int version, boolean compactHeaders, long heap) {

  /** Returns the properties of this virtual machine, which has the options of a node. */
  public static JavaFacts current() {
    Runtime runtime = Runtime.getRuntime();
    return new JavaFacts(Runtime.version().feature(), hasCompactHeaders(), runtime.maxMemory());
  }

  private static boolean hasCompactHeaders() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      return options != null
          && Boolean.parseBoolean(options.getVMOption("UseCompactObjectHeaders").getValue());
    } catch (IllegalArgumentException unknownOption) { // in this version
      return false;
    }
  }
}
