package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cluster.peer.PeerIdentity;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClusterConfigTest {
  private static final Seeds NOBODY = new Seeds.Listed(List.of());
  private static final PeerIdentity SECRET = new PeerIdentity.Secret("0123456789abcdef");

  private static ClusterConfig config(String host, int port, Seeds seeds, PeerIdentity identity) {
    Duration second = Duration.ofSeconds(1);
    return new ClusterConfig("c", host, port, seeds, identity, second, second, 10, second, second);
  }

  private static List<String> keys(ClusterConfig config) {
    return config.problems(Nodes.node("a")).stream().map(ClusterProblem::key).toList();
  }

  @Test
  void shouldAcceptLoopbackWithoutASecretAndOtherAddressesWithOne() {
    assertThat(keys(config("127.0.0.1", 7800, NOBODY, Nodes.OPEN))).isEmpty();
    assertThat(keys(config("192.0.2.1", 7800, NOBODY, SECRET))).isEmpty();
  }

  @Test
  void shouldRefuseOtherAddressesWithoutASecret() {
    assertThat(config("192.0.2.1", 7800, NOBODY, Nodes.OPEN).problems(Nodes.node("a")))
        .singleElement()
        .hasToString(
            "cluster.secret: is missing, and 192.0.2.1 is reachable from other machines; expected a"
                + " secret or cluster.tls.certificate, or a loopback address as cluster.host");
  }

  @Test
  void shouldReportTheKeyOfAnInvalidValue() {
    assertThat(keys(config("0.0.0.0", 7800, NOBODY, SECRET))).containsExactly("cluster.host");
    assertThat(keys(config("no-such-host.invalid", 7800, NOBODY, SECRET)))
        .containsExactly("cluster.host");
    assertThat(keys(config("127.0.0.1", 65_536, NOBODY, SECRET))).containsExactly("cluster.port");
    assertThat(keys(config("127.0.0.1", 1, NOBODY, new PeerIdentity.Secret("0123456789abcde"))))
        .containsExactly("cluster.secret");
    assertThat(keys(config("127.0.0.1", 1, new Seeds.Dns(" ", 1), SECRET)))
        .containsExactly("cluster.dns");
    for (String node : List.of("host", "host:", ":7800", "host:0", "host:65536", "host:x")) {
      assertThat(keys(config("127.0.0.1", 1, new Seeds.Listed(List.of(node)), SECRET)))
          .as(node)
          .containsExactly("cluster.nodes");
    }
    assertThat(config("127.0.0.1", 1, NOBODY, SECRET).problems(Nodes.node("a".repeat(256))))
        .isNotEmpty()
        .first()
        .extracting(ClusterProblem::key)
        .isEqualTo("node.name");
  }

  @Test
  void shouldNotShowASecret() {
    assertThat(config("127.0.0.1", 1, NOBODY, SECRET).toString()).doesNotContain("0123");
  }
}
