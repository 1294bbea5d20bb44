package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The files in deploy, which name figures of the settings. */
class DeployFilesTest {
  private static final long MARGIN_S = 10;
  private static final long OTHER_DESCRIPTORS = 1000;

  @Test
  void shouldGiveComposeAConfigurationWithoutProblems() throws IOException {
    String content = ComposeFile.read().text("configs", "gateway", "content");

    // Compose makes one dollar of two.
    String file = content.replace("$$", "$");
    assertThat(AllRules.problems(ConfigFile.parse("compose", file, name -> "tcp://broker:61616")))
        .isEmpty();
  }

  @Test
  void shouldConnectTheNodeOfComposeToItsBroker() throws IOException {
    ComposeFile compose = ComposeFile.read();

    assertThat(compose.text("services", "gateway", "environment", "BROKER_URL"))
        .isEqualTo("${BROKER_URL:-tcp://broker:61616}");
    assertThat(compose.texts("services", "broker", "command"))
        .containsExactly("--host", "0.0.0.0", "--port", "61616");
  }

  @Test
  void shouldGiveANodeTimeToDrainUnderSystemd() throws IOException {
    long drainS = Config.defaults().get(TimeoutSettings.DRAIN).toSeconds();

    assertThat(figure("TimeoutStopSec")).isGreaterThanOrEqualTo(drainS + MARGIN_S);
  }

  @Test
  void shouldGiveANodeDescriptorsForAllItsClientsUnderSystemd() throws IOException {
    assertThat(figure("LimitNOFILE"))
        .isGreaterThan(Config.defaults().get(LimitSettings.CONNECTIONS) + OTHER_DESCRIPTORS);
  }

  private static long figure(String key) throws IOException {
    String unit = Files.readString(ComposeFile.FOLDER.resolve("sluice.service"));
    Matcher line = Pattern.compile("^" + key + "=(\\d+)$", Pattern.MULTILINE).matcher(unit);
    assertThat(line.find()).as(key).isTrue();
    return Long.parseLong(line.group(1));
  }
}
