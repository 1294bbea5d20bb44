package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

final class ConfigSchemaTest {
  private static final Path FILE = Path.of("..", "docs", "reference", "config.schema.json");
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(VersionFlag.V7).getSchema(ConfigSchema.text());

  private static Set<ValidationMessage> violations(String yaml) {
    Object tree = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    JsonNode json = new ObjectMapper().valueToTree(tree);
    return SCHEMA.validate(json);
  }

  @Test
  void shouldBePublished() throws IOException {
    if ("write".equals(System.getProperty("sluice.docs"))) {
      Files.writeString(FILE, ConfigSchema.text());
    }
    assertThat(FILE)
        .as("config.schema.json differs from Settings; -Dsluice.docs=write writes it anew")
        .hasContent(ConfigSchema.text());
  }

  @Test
  void shouldAcceptTheDocumentedExample() {
    String page = ConfigurationPage.text();
    String begin = "```yaml\n";
    int start = page.indexOf(begin) + begin.length();

    assertThat(violations(page.substring(start, page.indexOf("```", start)))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server.port: 8080",
        "server: {port: 8080, tls: {certificate: a.pem}}",
        "server: {tls.certificate: a.pem}",
        "server.port: ${PORT}",
        "limits.pending-bytes: 4194304",
        "timeouts: {drain: 30 s}",
        "permissions.rules: [{if: {sub: alice}, subscribe: ['a.>'], presence: [a]}]",
        "server:"
      })
  void shouldAcceptWhatANodeAccepts(String yaml) {
    assertThat(AllRules.problems(ConfigFile.parse("test", yaml, name -> "1"))).isEmpty();
    assertThat(violations(yaml)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server.prot: 8080",
        "server: {port: 70000}",
        "server.port: [1]",
        "timeouts.drain: 30",
        "limits.pending-bytes: 4MB",
        "log.level: loud",
        "auth.anonymous: 'yes'",
        "permissions.rules: [{subscribes: [a]}]",
        "permissions.rules: [{subscribe: a}]"
      })
  void shouldRejectWhatANodeRejects(String yaml) {
    assertThat(AllRules.problems(ConfigFile.parse("test", yaml, name -> "1"))).isNotEmpty();
    assertThat(violations(yaml)).isNotEmpty();
  }
}
