package io.sluice.gateway.hosts;

import io.sluice.gateway.TestProgram;
import java.util.List;
import java.util.Optional;

/**
 * The scenario in full size: one argument, the clients of each node. Ends with 1 if something is
 * not as it should be, and with 2 if this machine can't have hosts.
 */
final class HostsSuite {
  private HostsSuite() {}

  public static void main(String[] arguments) throws Exception {
    Optional<String> obstacle = Isolation.obstacle();
    Optional<String> haproxy = TestProgram.provide("haproxy");
    obstacle.ifPresent(System.err::println);
    if (obstacle.isPresent() || haproxy.isEmpty()) {
      System.exit(2);
    }
    String docs = "-Dsluice.docs=" + System.getProperty("sluice.docs", "");
    List<String> command =
        Isolation.java(
            List.of("-Xmx2g", docs), HostsProgram.class, List.of(haproxy.get(), arguments[0]));
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put("SLUICE_JAVA_OPTS", "-Xmx512m"); // and with the last compiler
    Process process = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    System.exit(process.waitFor());
  }
}
