package io.sluice.gateway.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Program that runs the scenario as root of its namespaces: {@code HAPROXY [CLIENTS]}. Without a
 * number of clients per node it runs the small scenario. Prints a table, and exits with 1 if an
 * expectation is violated.
 */
final class HostsProgram {
  private HostsProgram() {}

  /** Prints the violated expectations and exits. */
  static void end(List<String> faults) {
    faults.forEach(fault -> System.out.println("FAILED " + fault));
    System.exit(faults.isEmpty() ? 0 : 1);
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Plan plan = arguments.length == 1 ? Plan.small() : Plan.full(Integer.parseInt(arguments[1]));
    Path folder = Files.createTempDirectory(Path.of("target"), "hosts");
    Findings findings;
    try (Site site = new Site(plan, arguments[0], folder);
        ConnectRate connects =
            new ConnectRate(site.nodes().stream().map(HostedNode::metricsUrl).toList())) {
      findings = new Scenario(site, plan, connects).run();
    }
    System.out.println(FindingsText.table(findings));
    ResultFiles.write("cluster", FindingsText.csv(findings));
    end(findings.faults());
  }
}
