package io.sluice.gateway.multicast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests of the interface of a group. */
final class GroupAddressTest {
  private final GroupAddress address = GroupAddress.of("239.8.8.1:9444");

  @Test
  void shouldUseTheInterfaceOfThePort() throws IOException {
    assertThat(address).isEqualTo(new GroupAddress("239.8.8.1", 9444));
    assertThat(address.local("127.0.0.1")).isEqualTo("127.0.0.1");
  }

  @Test
  void shouldRejectAnAddressOfNoInterface() {
    assertThatThrownBy(() -> address.local("192.0.2.1"))
        .isInstanceOf(IOException.class)
        .hasMessage("no interface has the address 192.0.2.1");
  }
}
