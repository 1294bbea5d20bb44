package io.sluice.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {
  private static final String LIMITS =
      """
      Limit                     Soft Limit           Hard Limit           Units
      Max processes             94871                94871                processes
      Max open files            20000                30000                files
      """;
  private static final int MANY = 1_000_000;

  @Test
  void shouldReadWhatTheKernelSays() {
    assertThat(ConnectionLimits.parse(LIMITS, 12, "32768\t60999\n"))
        .isEqualTo(new ConnectionLimits(20_000, 12, 28_232));
    assertThat(
            ConnectionLimits.parse("Max open files            unlimited", 12, "1 2").descriptors())
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldAllowWhatFits() {
    assertThat(new ConnectionLimits(1100, 36, MANY).objection(1000, 0, 1)).isNull();
    assertThat(new ConnectionLimits(MANY, 36, 1000).objection(1000, 0, 1)).isNull();
    assertThat(new ConnectionLimits(MANY, 36, 1000).objection(2000, 0, 2)).isNull();
  }

  @Test
  void shouldSayHowToSpreadOverProcessesWhenDescriptorsAreTooFew() {
    assertThat(new ConnectionLimits(1100, 36, MANY).objection(2001, 500, 1))
        .isEqualTo(
            "2001 clients need more file descriptors than this process may open (1100, of which"
                + " 100 are for itself): raise 'ulimit -n', or start 3 processes with --clients"
                + " 667, the first with --first 500, the next with --first 1167 and so on");
  }

  @Test
  void shouldSayHowToSpreadOverAddressesAndMachinesWhenPortsAreTooFew() {
    assertThat(new ConnectionLimits(MANY, 36, 28_232).objection(60_000, 0, 2))
        .isEqualTo(
            "60000 clients need more source ports than there are (56464 from 2 local addresses):"
                + " name 3 addresses of this machine with --from-address (of 127.0.0.0/8 for a"
                + " gateway on this machine), or spread them over machines with --first 0, --first"
                + " 56464 and so on");
  }

  @Test
  void shouldKnowThoseOfThisProcess() {
    ConnectionLimits limits = ConnectionLimits.ofThisProcess();

    assertThat(limits.descriptors()).isGreaterThan(limits.descriptorsInUse());
    assertThat(limits.objection(1, 0, 1)).isNull();
  }
}
