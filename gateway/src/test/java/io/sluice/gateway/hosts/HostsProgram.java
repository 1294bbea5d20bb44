package io.sluice.gateway.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The scenario as a program that is root of its namespaces: {@code HAPROXY [CLIENTS]}. Without a
 * number of clients of each node it is the small one. Prints tables, and ends with 1 if something
 * is not as it should be.
 */
final class HostsProgram {
  private HostsProgram() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Plan plan = arguments.length == 1 ? Plan.small() : Plan.full(Integer.parseInt(arguments[1]));
    Path folder = Files.createTempDirectory(Path.of("target"), "hosts");
    Findings findings;
    try (Site site = new Site(plan, arguments[0], folder);
        ConnectRate connects =
            new ConnectRate(site.nodes().stream().map(HostedNode::metricsUrl).toList())) {
      findings = new Scenario(site, plan, connects).run();
    }
    String tables = FindingsText.of(findings);
    System.out.println(tables);
    if ("write".equals(System.getProperty("sluice.docs"))) {
      FindingsText.writeDoc(tables);
    }
    List<String> faults = findings.faults();
    faults.forEach(fault -> System.out.println("FAILED " + fault));
    System.exit(faults.isEmpty() ? 0 : 1);
  }
}
