package io.sluice.loadtest.machine;

import io.netty.util.Version;
import java.util.Map;
import java.util.Optional;
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
    versions.put(
        "Netty of the load test", Version.identify().get("netty-common").artifactVersion());
    gatling().ifPresent(version -> versions.put("Gatling", version));
    if (!gateway.isEmpty()) {
      versions.put("gateway", gateway);
    }
    return versions;
  }

  // It is there for the simulations only, and must not be needed by anything else.
  private static Optional<String> gatling() {
    try {
      Class<?> simulation = Class.forName("io.gatling.javaapi.core.Simulation");
      return Optional.ofNullable(simulation.getPackage().getImplementationVersion());
    } catch (ClassNotFoundException absent) {
      return Optional.empty();
    }
  }
}
