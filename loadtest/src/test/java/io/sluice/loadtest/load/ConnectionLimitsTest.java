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
  void shouldParseKernelFiles() {
    assertThat(ConnectionLimits.parse(LIMITS, 12, "32768\t60999\n"))
        .isEqualTo(new ConnectionLimits(20_000, 12, 28_232));
    assertThat(
            ConnectionLimits.parse("Max open files            unlimited", 12, "1 2").descriptors())
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldAllowClientsWithinLimits() {
    assertThat(new ConnectionLimits(1100, 36, MANY).violation(1000, 0, 1)).isNull();
    assertThat(new ConnectionLimits(MANY, 36, 1000).violation(1000, 0, 1)).isNull();
    assertThat(new ConnectionLimits(MANY, 36, 1000).violation(2000, 0, 2)).isNull();
  }

  @Test
  void shouldSuggestProcessesWhenDescriptorsAreExhausted() {
    assertThat(new ConnectionLimits(1100, 36, MANY).violation(2001, 500, 1))
        .isEqualTo(
            "2001 clients exceed the file descriptors of this process (1100, of which"
                + " 100 are reserved): raise 'ulimit -n', or start 3 processes with --clients"
                + " 667, the first with --first 500, the next with --first 1167 and so on");
  }

  @Test
  void shouldSuggestAddressesWhenPortsAreExhausted() {
    assertThat(new ConnectionLimits(MANY, 36, 28_232).violation(60_000, 0, 2))
        .isEqualTo(
            "60000 clients exceed the available source ports (56464 from 2 local addresses): pass 3"
                + " addresses of this machine to --from-address (in 127.0.0.0/8 for a gateway on"
                + " this machine), or distribute them over machines with --first 0, --first 56464"
                + " and so on");
  }

  @Test
  void shouldReadLimitsOfThisProcess() {
    ConnectionLimits limits = ConnectionLimits.ofThisProcess();

    assertThat(limits.descriptors()).isGreaterThan(limits.descriptorsInUse());
    assertThat(limits.violation(1, 0, 1)).isNull();
  }
}
