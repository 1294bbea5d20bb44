package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.http.RequestBody.AddResult;
import io.sluice.gateway.limits.Shares;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
  private static final int MAX_BYTES = 20;

  private final Shares quota = new Shares(40);
  private final RequestBody body = new RequestBody(MAX_BYTES, quota, "a");

  private AddResult add(String text) {
    return body.add(text.getBytes(UTF_8));
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (ByteBuf line = body.nextLine(); line != null; line = body.nextLine()) {
      lines.add(line.toString(UTF_8));
      line.skipBytes(line.readableBytes());
    }
    return lines;
  }

  @Test
  void shouldSplitLinesAcrossChunks() {
    for (String part : List.of("{1", "}\n{2}", "\n", "{ü", "}")) {
      assertThat(add(part)).isEqualTo(AddResult.BUFFERED);
    }
    assertThat(body.isUtf8()).isTrue();
    assertThat(lines()).containsExactly("{1}", "{2}", "{ü}");
    assertThat(body.nextLine()).isNull();
  }

  @Test
  void shouldSkipBlankLines() {
    add("\r\n{1}\r\n \t\n\n{2}\n");
    assertThat(body.isBlank()).isFalse();
    assertThat(lines()).containsExactly("{1}\r", "{2}");
  }

  @Test
  void shouldReportBlankBody() {
    assertThat(body.isBlank()).isTrue();
    add(" \r\n");
    add("\t");
    assertThat(body.isBlank()).isTrue();
    assertThat(body.nextLine()).isNull();
  }

  @Test
  void shouldRejectBytesPastTheMaximumLength() {
    assertThat(add("x".repeat(MAX_BYTES))).isEqualTo(AddResult.BUFFERED);
    assertThat(add("x")).isEqualTo(AddResult.TOO_LONG);
  }

  @Test
  void shouldAcceptCharactersSplitAcrossChunks() {
    byte[] euro = "€".getBytes(UTF_8);
    body.add(new byte[] {euro[0]});
    assertThat(body.isUtf8()).isFalse();
    body.add(new byte[] {euro[1], euro[2]});
    assertThat(body.isUtf8()).isTrue();
  }

  @Test
  void shouldRejectInvalidUtf8Immediately() {
    assertThat(body.add(new byte[] {'a', (byte) 0xFF})).isEqualTo(AddResult.NOT_UTF8);
  }

  @Test
  void shouldShareTheQuotaOfItsLoopAndReleaseItOnce() {
    RequestBody other = new RequestBody(MAX_BYTES, quota, "b");
    RequestBody third = new RequestBody(MAX_BYTES, quota, "c");
    assertThat(other.add(new byte[16])).isEqualTo(AddResult.BUFFERED);
    assertThat(third.add(new byte[16])).isEqualTo(AddResult.BUFFERED);
    assertThat(add("x".repeat(15))).isEqualTo(AddResult.QUOTA_EXCEEDED);
    other.close();
    other.close();
    third.close();
    assertThat(add("x".repeat(15))).isEqualTo(AddResult.BUFFERED);
    assertThat(quota.used()).isEqualTo(15);
    body.close();
    assertThat(quota.used()).isZero();
  }

  @Test
  void shouldLeaveBytesToOtherAddresses() {
    assertThat(add("x".repeat(15))).isEqualTo(AddResult.BUFFERED);
    RequestBody same = new RequestBody(MAX_BYTES, quota, "a");
    assertThat(same.add(new byte[5])).isEqualTo(AddResult.BUFFERED);
    assertThat(same.add(new byte[1])).isEqualTo(AddResult.QUOTA_EXCEEDED);
    assertThat(new RequestBody(MAX_BYTES, quota, "b").add(new byte[10]))
        .isEqualTo(AddResult.BUFFERED);
  }

  @Test
  void shouldHaveNoLinesAfterClose() {
    add("{1}\n{2}");
    body.nextLine();
    body.close();
    assertThat(body.nextLine()).isNull();
  }
}
