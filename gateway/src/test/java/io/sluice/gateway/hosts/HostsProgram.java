package io.sluice.gateway.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The scenario as a program that is root of its namespaces: {@code HAPROXY [CLIENTS]}. Without a
 * number of clients of each node it is the small one. Prints a table, and ends with 1 if something
 * is not as it should be.
 */
final class HostsProgram {
  private HostsProgram() {}

  /** Says what is not as it should be, and ends. */
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
    BenchmarksPage.write("hosts", FindingsText.page(findings));
    BenchmarksPage.writeResults("cluster", FindingsText.csv(findings));
    end(findings.faults());
  }
}
