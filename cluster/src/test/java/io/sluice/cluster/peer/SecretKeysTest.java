package io.sluice.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.KeyPair;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class SecretKeysTest {
  private static String key(String secret, String cluster) throws Exception {
    KeyPair pair = SecretKeys.derive(secret, cluster);
    return HexFormat.of().formatHex(pair.getPublic().getEncoded());
  }

  /** The pair is part of the protocol between nodes: a change keeps versions apart. */
  @Test
  void shouldDeriveTheSameKeysOnEveryNodeAndJdk() throws Exception {
    assertThat(key("0123456789abcdef", "c"))
        .isEqualTo(
            "302a300506032b6570032100fd5d2282e0c5c578ed42e660ace8f18ac3c87764dbf5fc66c8d0e12b95b7d59a");
  }

  @Tag("full")
  @Test
  void shouldDeriveOtherKeysForAnotherCluster() throws Exception {
    assertThat(key("0123456789abcdef", "d")).isNotEqualTo(key("0123456789abcdef", "c"));
  }
}
