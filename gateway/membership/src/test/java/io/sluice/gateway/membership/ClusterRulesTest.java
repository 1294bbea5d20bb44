package io.sluice.gateway.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.FoundProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the rules for cluster configurations. */
final class ClusterRulesTest {
  private static final String LISTED = "cluster.name: live\ncluster.nodes: ['gw-2:7800']\n";

  private static List<String> problems(String text) {
    return FoundProblems.of(text, ClusterRules::check);
  }

  @Test
  void shouldAcceptNodesAsListOrAsDnsName() {
    assertThat(problems("")).isEmpty();
    assertThat(problems(LISTED)).isEmpty();
    assertThat(problems("cluster: {name: live, dns: nodes.example}")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dns: n | dns: has no effect without cluster.name, which is not set",
        "secret: 0123456789abcdef | secret: has no effect without cluster.name, which is not set",
        "name: live | nodes: is empty, so the node cannot discover other nodes",
        "name: live, nodes: ['a:1'], dns: n | nodes: is set together with cluster.dns",
        "name: live, nodes: ['a:1'], public-url: 'https://a/ws' | public-url: \"https://a/ws\" is"
            + " not a ws or wss URL without user info and fragment",
        "name: live, nodes: ['a:1'], public-url: 'wss:/ws' | public-url: \"wss:/ws\" is not a ws"
            + " or wss URL without user info and fragment",
        "name: live, nodes: ['a:1'], public-url: 'wss://u:p@a/ws' | public-url: \"wss://***@a/ws\""
            + " is not a ws or wss URL without user info and fragment",
        "name: live, nodes: ['a:1'], admin-url: 'gw-1:9090' | admin-url: \"gw-1:9090\" is not a"
            + " http or https URL without user info and fragment",
        "name: live, nodes: ['a:1'], port: 8080 | port: 8080 is also the value of server.port",
        "name: live, nodes: ['a:1'], port: 9090 | port: 9090 is also the value of admin.port",
        "name: live, nodes: ['a:1'], secret-file: missing | secret-file: missing does not exist",
      })
  void shouldReportInvalidClusterSettings(String cluster, String problem) {
    assertThat(problems("cluster: {" + cluster + "}")).contains("cluster." + problem);
  }

  @Test
  void shouldReportBalanceWithoutCluster() {
    assertThat(problems("balance.redirect: true"))
        .containsExactly("balance.redirect: has no effect without cluster.name, which is not set");
  }

  @Test
  void shouldReportSecretAndSecretFileTogether(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("secret"), "fedcba9876543210\n");
    assertThat(problems(LISTED + "cluster.secret: 0123456789abcdef\ncluster.secret-file: " + file))
        .containsExactly("cluster.secret-file: is set together with cluster.secret");
  }
}
