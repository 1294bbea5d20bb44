package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class FrameTest {
  @Test
  void shouldNameTheInvalidMember() {
    Frame frame = Frame.parse("{\"type\":\"message\",\"offset\":\"7\",\"id\":\"xyz\",\"a\":{}}");
    assertThatThrownBy(() -> frame.number("offset"))
        .hasMessage("message: offset must be an integer, not \"7\"");
    assertThatThrownBy(() -> frame.text("topic"))
        .hasMessage("message: topic must be a string, not absent");
    assertThatThrownBy(frame::id)
        .hasMessage("message: id must be 16 hexadecimal digits, not \"xyz\"");
    assertThatThrownBy(() -> frame.object("a").number("overlap"))
        .hasMessage("message: a: overlap must be an integer, not absent");
    assertThatThrownBy(() -> frame.object("offset"))
        .hasMessage("message: offset must be a JSON object, not \"7\"");
  }

  @Test
  void shouldRequireAnObjectWithAType() {
    assertThatThrownBy(() -> Frame.parse("[]")).hasMessage("frame must be a JSON object, not []");
    assertThatThrownBy(() -> Frame.parse("{}"))
        .hasMessage("frame: type must be a string, not absent");
  }

  @Test
  void shouldReturnDefaultsOfAbsentMembers() {
    Frame frame = Frame.parse("{\"type\":\"pong\"}");
    assertThat(frame.ref()).isEqualTo(-1);
    assertThat(frame.flag("removed")).isFalse();
    assertThat(frame.map("properties")).isEmpty();
    assertThat(frame.optionalText("topic")).isNull();
    assertThat(frame.optionalNumber("time")).isNull();
    assertThat(frame.lists("features", "queues")).isFalse();
  }
}
