package io.sluice.gateway.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Program that measures the cost of nodes by the size of the cluster, as root of its namespaces:
 * {@code HAPROXY CLIENTS SECONDS}, the number of clients per node and the duration of each
 * measurement. Prints a table, and exits with 1 if a node does clearly less than alone.
 */
final class ScaleProgram {
  private ScaleProgram() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Plan plan = Plan.still(Integer.parseInt(arguments[1]));
    Path folder = Files.createTempDirectory(Path.of("target"), "hosts");
    Optional<String> unlimited = CpuQuota.obstacle();
    unlimited.ifPresent(System.out::println);
    ScaleFindings findings;
    try (Site site = new Site(plan, arguments[0], folder)) {
      int seconds = Integer.parseInt(arguments[2]);
      findings = new ScaleFindings(plan, new Scale(site, plan, seconds, unlimited.isEmpty()).run());
    }
    System.out.println(findings.text());
    ResultFiles.write("cluster-scale", findings.csv());
    HostsProgram.end(findings.faults());
  }
}
