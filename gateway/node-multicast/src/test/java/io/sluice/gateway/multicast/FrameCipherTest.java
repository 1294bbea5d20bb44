package io.sluice.gateway.multicast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests of frames that are not of the root. */
final class FrameCipherTest {
  private final FrameCipher cipher = new FrameCipher();
  private final GroupKey key = GroupKey.next(7);
  private final byte[] contents = {1, 2, 3};

  @Test
  void shouldOpenWhatItHasSealed() {
    byte[] frame = cipher.seal(key, 9, contents);
    assertThat(cipher.open(frame, number -> number == 7 ? key : null)).isEqualTo(contents);
  }

  @Test
  void shouldIgnoreEveryChangedByte() {
    byte[] frame = cipher.seal(key, 9, contents);
    for (int i = 0; i < frame.length; i++) {
      byte[] changed = frame.clone();
      changed[i] ^= 1;
      assertThat(cipher.open(changed, number -> key)).as("byte %d", i).isNull();
    }
  }

  @Test
  void shouldIgnoreEveryShorterFrame() {
    byte[] frame = cipher.seal(key, 9, contents);
    for (int length = 0; length < frame.length; length++) {
      assertThat(cipher.open(Arrays.copyOf(frame, length), number -> key)).isNull();
    }
  }

  @Test
  void shouldIgnoreAnotherKey() {
    byte[] frame = cipher.seal(GroupKey.next(7), 9, contents);
    assertThat(cipher.open(frame, number -> key)).isNull();
    assertThat(cipher.open(frame, number -> null)).isNull();
  }
}
