package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Docs;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private static final List<Class<?>> SECTIONS =
      List.of(
          AdminSettings.class,
          ServerSettings.class,
          AuthSettings.class,
          TopicSettings.class,
          BrokerSettings.class,
          KafkaSettings.class,
          NatsSettings.class,
          LinkSettings.class,
          HistorySettings.class,
          LimitSettings.class,
          TimeoutSettings.class,
          ClusterSettings.class);

  @Test
  void shouldListEveryConstantInOrder() throws IllegalAccessException {
    List<Setting<?>> keys = new ArrayList<>(constants());
    keys.removeIf(Setting::isInternal);
    assertThat(Settings.all()).isEqualTo(keys);
  }

  private static List<Setting<?>> constants() throws IllegalAccessException {
    List<Setting<?>> constants = new ArrayList<>();
    for (Class<?> section : SECTIONS) {
      for (Field field : section.getDeclaredFields()) {
        if (Modifier.isPublic(field.getModifiers())
            && field.get(null) instanceof Setting<?> setting) {
          constants.add(setting);
        }
      }
    }
    return constants;
  }

  @Test
  void shouldKeepSectionsTogetherAndKeysUnique() {
    List<String> sections = new ArrayList<>();
    for (Setting<?> setting : Settings.all()) {
      String section = setting.key().substring(0, setting.key().indexOf('.'));
      if (sections.isEmpty() || !sections.get(sections.size() - 1).equals(section)) {
        sections.add(section);
      }
    }
    assertThat(sections).doesNotHaveDuplicates();
    assertThat(Settings.all()).extracting(Setting::key).doesNotHaveDuplicates();
  }

  @Test
  void shouldHaveAtMost200KeysAndBlocksOfQuotas() {
    Set<String> keys =
        Settings.all().stream()
            .map(each -> Settings.block(each).contains(".") ? Settings.block(each) : each.key())
            .collect(Collectors.toSet());
    assertThat(keys).hasSizeLessThanOrEqualTo(200);
  }

  @Test
  void shouldNotNameSettingsInDocumentsThatFilesCannotSet() throws Exception {
    List<String> internal =
        constants().stream()
            .filter(Setting::isInternal)
            .map(each -> "`" + each.key() + "`")
            .toList();
    Path docs = Docs.file();
    try (Stream<Path> pages = Files.walk(docs)) {
      List<String> named = new ArrayList<>();
      for (Path page : pages.filter(each -> each.toString().matches(".*\\.(md|yaml)")).toList()) {
        String path = docs.relativize(page).toString();
        if (!path.matches("(adr|node_modules|target)/.*")) {
          String text = Files.readString(page);
          internal.stream().filter(text::contains).forEach(key -> named.add(path + ": " + key));
        }
      }
      assertThat(named).isEmpty();
    }
  }

  @Test
  void shouldHaveDefaultsThatAreValid() {
    assertThat(FoundProblems.of(new ConfigDraft())).isEmpty();
    for (Setting<?> setting : Settings.all()) {
      Object value = setting.defaultValue();
      boolean scalar =
          value != null && !(value instanceof List) && !(value instanceof java.util.Map);
      if (scalar) {
        String text = value instanceof String words ? words : ValueText.write(value);
        assertThat(ValueText.read(setting, text))
            .as(setting.key())
            .isEqualTo(new ValueText.Reading.Value(value));
      }
    }
  }
}
