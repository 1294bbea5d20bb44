package io.sluice.gateway.revocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.revocation.Revocation.Kind;
import io.sluice.gateway.revocation.RevocationCodec.MalformedRevocations;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RevocationCodecTest {
  private static final Revocation TOKEN = new Revocation(Kind.TOKEN, "t-1", 1, 2, 3);

  private static RevocationMessage decoded(RevocationMessage message) throws Exception {
    byte[] bytes = RevocationCodec.encode(message);
    assertThat(bytes[0]).isEqualTo((byte) RevocationExchange.CHANNEL);
    return RevocationCodec.decode(bytes);
  }

  @Test
  void shouldDecodeWhatItEncodes() throws Exception {
    Revocation subject = new Revocation(Kind.SUBJECT, "ann \u00e9\ud83d\ude00\ud800", 4, 5, 0);
    for (RevocationMessage message :
        List.of(
            new RevocationMessage.Order(subject),
            new RevocationMessage.Digest(-7),
            new RevocationMessage.Entries(RevocationMessage.Entries.MORE, List.of(TOKEN, subject)),
            new RevocationMessage.Entries(RevocationDigest.BUCKETS, List.of()))) {
      assertThat(decoded(message)).isEqualTo(message);
    }
    long[] hashes = new Random(1).longs(RevocationDigest.BUCKETS).toArray();
    RevocationMessage.Request request =
        (RevocationMessage.Request) decoded(new RevocationMessage.Request(9, hashes));
    assertThat(request.from()).isEqualTo(9);
    assertThat(request.hashes()).isEqualTo(hashes);
  }

  @Test
  void shouldFitTheLargestRevocationIntoAMessage() throws Exception {
    Revocation largest = new Revocation(Kind.TOKEN, "\uffff".repeat(1024), 1, 2, 3);
    byte[] bytes = RevocationCodec.encode(new RevocationMessage.Order(largest));

    assertThat(bytes.length).isLessThan(15 * 1024);
    assertThat(RevocationCodec.size(largest)).isGreaterThanOrEqualTo(bytes.length - 2);
  }

  @Test
  void shouldIgnoreKindsOfLaterVersions() throws Exception {
    byte[] order = RevocationCodec.encode(new RevocationMessage.Order(TOKEN));
    order[5]++; // the word of the kind
    assertThat(RevocationCodec.decode(order)).isNull();
    order[1] = 77;
    assertThat(RevocationCodec.decode(order)).isNull();
  }

  @Test
  void shouldRejectTruncatedAndImpossibleMessages() {
    byte[] order = RevocationCodec.encode(new RevocationMessage.Order(TOKEN));
    for (int length = 1; length < order.length; length++) {
      byte[] truncated = Arrays.copyOf(order, length);
      assertThatThrownBy(() -> RevocationCodec.decode(truncated))
          .isInstanceOf(MalformedRevocations.class);
    }
    byte[] negative = order.clone();
    negative[order.length - 8] = (byte) 0x80;
    assertThatThrownBy(() -> RevocationCodec.decode(negative))
        .isInstanceOf(MalformedRevocations.class)
        .hasMessageContaining("before 1970");
    byte[] request =
        RevocationCodec.encode(
            new RevocationMessage.Request(
                RevocationDigest.BUCKETS, new long[RevocationDigest.BUCKETS]));
    assertThatThrownBy(() -> RevocationCodec.decode(request))
        .isInstanceOf(MalformedRevocations.class)
        .hasMessageContaining("no part 256");
  }
}
