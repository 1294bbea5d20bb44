package io.sluice.gateway.hosts;

import io.sluice.gateway.TestProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Program that runs the scenario in full size, measures the cost of nodes, runs a DMZ, two sites,
 * or all: {@code CLIENTS all|scenario|scale|dmz|sites SECONDS}, the number of clients per node and
 * the duration of each measurement. Exits with 1 if an expectation is violated, and with 2 if this
 * machine does not support namespaces.
 */
final class HostsSuite {
  private HostsSuite() {}

  public static void main(String[] arguments) throws Exception {
    Optional<String> obstacle = Isolation.obstacle();
    if (obstacle.isPresent()) {
      System.err.println(obstacle.get());
      System.exit(2);
    }
    String part = arguments[1];
    int exitCode = 0;
    if (Set.of("all", "dmz").contains(part)) {
      exitCode = run(DmzProgram.command(folder()));
    }
    if (Set.of("all", "sites").contains(part)) {
      exitCode |= run(SitesProgram.command(folder()));
    }
    if (Set.of("all", "scenario", "scale").contains(part)) {
      exitCode |= compare(part, arguments);
    }
    System.exit(exitCode);
  }

  /** Runs the parts with a load balancer. */
  private static int compare(String part, String... arguments) throws Exception {
    Optional<String> haproxy = TestProgram.provide("haproxy");
    if (haproxy.isEmpty()) {
      return 2;
    }
    int exitCode = 0;
    if (Set.of("all", "scenario").contains(part)) {
      exitCode |= run(HostsProgram.class, haproxy.get(), arguments[0]);
    }
    if (Set.of("all", "scale").contains(part)) {
      exitCode |= run(ScaleProgram.class, haproxy.get(), arguments[0], arguments[2]);
    }
    return exitCode;
  }

  private static Path folder() throws IOException {
    return Files.createTempDirectory(Path.of("target"), "hosts").toAbsolutePath();
  }

  private static int run(Class<?> program, String... arguments) throws Exception {
    String docs = "-Dsluice.docs=" + System.getProperty("sluice.docs", "");
    List<String> options = List.of("-Xmx2g", docs);
    return run(Isolation.java(options, program, List.of(arguments)));
  }

  private static int run(List<String> command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put("SLUICE_JAVA_OPTS", "-Xmx512m"); // and with the last compiler
    Process process = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return process.waitFor() == 0 ? 0 : 1;
  }
}
