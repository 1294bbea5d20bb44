package io.sluice.gateway.revocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.revocation.Revocation.Kind;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RevocationMessageTest {
  private static final Revocation TOKEN = new Revocation(Kind.TOKEN, "t-1", 1, 2, 3);

  /** Bytes of a message without hashes and revocations. */
  private static final int EMPTY = RevocationMessage.digest(0).encode().length;

  private static RevocationMessage decoded(RevocationMessage message) throws Exception {
    byte[] bytes = message.encode();
    assertThat(bytes[0]).isEqualTo((byte) RevocationExchange.CHANNEL);
    return RevocationMessage.decode(bytes);
  }

  @Test
  void shouldDecodeWhatItEncodes() throws Exception {
    Revocation subject = new Revocation(Kind.SUBJECT, "ann \u00e9\ud83d\ude00\ud800", 4, 5, 0);
    for (RevocationMessage message :
        List.of(
            RevocationMessage.order(subject),
            RevocationMessage.digest(-7),
            RevocationMessage.request(9, new Random(1).longs(RevocationDigest.BUCKETS).toArray()),
            RevocationMessage.entries(RevocationMessage.MORE, List.of(TOKEN, subject)),
            RevocationMessage.entries(RevocationDigest.BUCKETS, List.of()))) {
      assertThat(decoded(message)).usingRecursiveComparison().isEqualTo(message);
    }
  }

  @Test
  void shouldFitTheLargestRevocationIntoAMessage() throws Exception {
    Revocation largest = new Revocation(Kind.TOKEN, "\uffff".repeat(1024), 1, 2, 3);
    byte[] bytes = RevocationMessage.order(largest).encode();

    assertThat(bytes.length).isLessThan(15 * 1024);
    assertThat(RevocationMessage.size(largest)).isGreaterThanOrEqualTo(bytes.length - EMPTY);
  }

  @Test
  void shouldIgnoreKindsOfLaterVersions() throws Exception {
    byte[] order = RevocationMessage.order(TOKEN).encode();
    order[EMPTY + 2]++; // the word of the kind
    assertThat(RevocationMessage.decode(order)).isNull();
    order[1] = 77;
    assertThat(RevocationMessage.decode(order)).isNull();
  }

  @Test
  void shouldRejectTruncatedAndImpossibleMessages() {
    byte[] order = RevocationMessage.order(TOKEN).encode();
    for (int length = 1; length < order.length; length++) {
      byte[] truncated = Arrays.copyOf(order, length);
      assertThatThrownBy(() -> RevocationMessage.decode(truncated)).isInstanceOf(IOException.class);
    }
    byte[] negative = order.clone();
    negative[order.length - 8] = (byte) 0x80;
    assertThatThrownBy(() -> RevocationMessage.decode(negative))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("before 1970");
    byte[] request =
        RevocationMessage.request(RevocationDigest.BUCKETS, new long[RevocationDigest.BUCKETS])
            .encode();
    assertThatThrownBy(() -> RevocationMessage.decode(request))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no part 256");
  }
}
