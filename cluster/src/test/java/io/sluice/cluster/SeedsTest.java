package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SeedsTest {
  private final List<String> unknown = new ArrayList<>();

  @Test
  void shouldReportNamesThatCannotBeResolved() {
    Seeds seeds = new Seeds.Listed(List.of("nowhere.invalid:7800", "127.0.0.1:7801"));
    assertThat(seeds.lookUp(unknown::add))
        .containsExactly(new InetSocketAddress("127.0.0.1", 7801));
    assertThat(unknown).containsExactly("nowhere.invalid");
  }

  @Test
  void shouldReportADnsNameThatCannotBeResolved() {
    assertThat(new Seeds.Dns("nowhere.invalid", 7800).lookUp(unknown::add)).isEmpty();
    assertThat(unknown).containsExactly("nowhere.invalid");
  }
}
