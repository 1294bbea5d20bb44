package io.sluice.gateway.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cluster.ClusterProblem;
import io.sluice.cluster.Seeds;
import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of a member's configuration. */
final class MemberConfigTest {
  private static final String SECRET = "0123456789abcdef";

  private final Config config =
      Config.defaults()
          .with(ClusterSettings.NAME, "live")
          .with(ClusterSettings.HOST, "127.0.0.1")
          .with(ClusterSettings.NODES, List.of("gw-2.example:7800"));

  @TempDir private Path folder;

  private static MemberConfig read(Config config) throws UnusableCluster {
    return MemberConfig.read(config, "gw-1", "1.0");
  }

  private static List<String> problems(Config config) {
    return MemberConfig.problems(config, "gw-1").stream().map(ClusterProblem::key).toList();
  }

  @Test
  void shouldBeStandaloneWithoutAName() throws UnusableCluster {
    assertThat(read(Config.defaults()).cluster()).isNull();
    assertThat(problems(Config.defaults())).isEmpty();
  }

  @Test
  void shouldAnnounceTheConfiguredValues() throws UnusableCluster {
    MemberConfig member =
        read(
            config
                .with(ClusterSettings.PUBLIC_URL, "wss://gw-1.example/ws")
                .with(ClusterSettings.ADMIN_URL, "http://gw-1.example:9090"));
    assertThat(member.self().id()).isEqualTo("gw-1");
    assertThat(member.self().publicUrl()).isEqualTo("wss://gw-1.example/ws");
    assertThat(member.self().adminUrl()).isEqualTo("http://gw-1.example:9090");
    assertThat(member.self().version()).isEqualTo("1.0");
  }

  @Test
  void shouldReadSeedsFromAListOrADnsName() throws UnusableCluster {
    assertThat(read(config).cluster().seeds())
        .isEqualTo(new Seeds.Listed(List.of("gw-2.example:7800")));
    assertThat(read(config.with(ClusterSettings.DNS, "nodes.example")).cluster().seeds())
        .isEqualTo(new Seeds.Dns("nodes.example", 7800));
  }

  @Test
  void shouldReadTheSecretFromItsFile() throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), SECRET + "\n");
    assertThat(read(config.with(ClusterSettings.SECRET_FILE, file.toString())).cluster().identity())
        .isEqualTo(new PeerIdentity.Secret(SECRET));
  }

  @Test
  void shouldReportAFileWithoutASecret() throws IOException {
    Config missing = config.with(ClusterSettings.SECRET_FILE, folder.resolve("missing").toString());
    assertThatThrownBy(() -> read(missing))
        .isInstanceOf(UnusableCluster.class)
        .hasMessageContainingAll("cluster.secret-file", "missing", "does not exist");
    assertThat(problems(missing)).as("reported by the validation rules").isEmpty();
  }

  @Test
  void shouldRefuseAReachableAddressWithoutASecret() {
    Config open = config.with(ClusterSettings.HOST, "192.0.2.1");
    assertThat(problems(open)).containsExactly("cluster.secret");
    assertThatThrownBy(() -> read(open)).hasMessageContaining("cluster.secret");
    assertThat(problems(open.with(ClusterSettings.SECRET, SECRET))).isEmpty();
  }

  @Test
  void shouldNotRevealASecretThatIsTooShort() {
    Config weak = config.with(ClusterSettings.SECRET, "0123456789abcde");
    assertThat(problems(weak)).containsExactly("cluster.secret");
    assertThatThrownBy(() -> read(weak)).message().doesNotContain("0123456789");
  }

  @Test
  void shouldReportAnInvalidSeed() {
    assertThat(problems(config.with(ClusterSettings.NODES, List.of("gw-2.example"))))
        .containsExactly("cluster.nodes");
  }
}
