package io.sluice.loadtest.machine;

import java.util.Map;
import java.util.TreeMap;

/** The versions that a measurement ran on. For any thread. */
public final class Versions {
  private Versions() {}

  /**
   * By name.
   *
   * @param gateway what the gateway said; empty if it was not asked
   */
  public static Map<String, String> of(String gateway) {
    Map<String, String> versions = new TreeMap<>();
    versions.put("Java of the load test", System.getProperty("java.runtime.version"));
    if (!gateway.isEmpty()) {
      versions.put("gateway", gateway);
    }
    return versions;
  }
}
