package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class TopicTemplateTest {
  private final TopicRules rules = new TopicRules(20, 3);

  @Test
  void shouldFillPlaceholdersByName() {
    TopicTemplate template = TopicTemplate.of("a.{x.y}.u-{z}-{x.y}.>");
    assertThat(template.placeholders()).containsExactly("x.y", "z", "x.y");
    assertThat(template.fill(Map.of("x.y", "1", "z", "2")::get)).isEqualTo("a.1.u-2-1.>");
  }

  @Test
  void shouldEqualItsTextWithoutPlaceholders() {
    TopicTemplate template = TopicTemplate.of("a.*.>");
    assertThat(template.placeholders()).isEmpty();
    assertThat(template.fill(gap -> "x")).isEqualTo("a.*.>");
  }

  @Test
  void shouldAcceptAPlaceholderForALevelOrAPartOfIt() {
    for (String text : new String[] {"{a}", "{a.b.c.d.e}.b", "a.u-{a}.>", "{a}{b}", "a"}) {
      assertThat(TopicTemplate.problem(text, rules)).as(text).isNull();
    }
  }

  @Test
  void shouldRejectInvalidTemplates() {
    for (String text :
        new String[] {"{}", "{ }", "{a", "a}", "{a}}", "{{a}}", "*{a}", "{a}>", "", "{a}..b"}) {
      assertThat(TopicTemplate.problem(text, rules)).as(text).isNotNull();
    }
    assertThat(TopicTemplate.problem("{a}.b.c.d", rules).code())
        .isEqualTo(ErrorCode.TOPIC_TOO_DEEP);
  }
}
