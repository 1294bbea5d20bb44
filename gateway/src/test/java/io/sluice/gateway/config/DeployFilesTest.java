package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files in deploy, which name figures of the settings. */
class DeployFilesTest {
  private static final Path DEPLOY = Path.of("deploy");
  private static final long MARGIN_S = 10;
  private static final long OTHER_DESCRIPTORS = 1000;

  @Test
  void shouldGiveComposeAConfigurationWithoutProblems() throws IOException {
    Object compose =
        new Load(LoadSettings.builder().build())
            .loadFromString(Files.readString(DEPLOY.resolve("compose.yaml")));
    String content = (String) at(compose, "configs", "gateway", "content");

    // Compose makes one dollar of two.
    String file = content.replace("$$", "$");
    assertThat(ConfigFile.parse("compose", file, name -> "tcp://broker:61616").problems())
        .isEmpty();
  }

  private static Object at(Object tree, String... path) {
    Object at = tree;
    for (String key : path) {
      at = ((Map<?, ?>) at).get(key);
    }
    return at;
  }

  @Test
  void shouldGiveANodeTimeToDrainUnderSystemd() throws IOException {
    long drainS = Config.defaults().get(Settings.TIMEOUT_DRAIN).toSeconds();

    assertThat(figure("TimeoutStopSec")).isGreaterThanOrEqualTo(drainS + MARGIN_S);
  }

  @Test
  void shouldGiveANodeDescriptorsForAllItsClientsUnderSystemd() throws IOException {
    assertThat(figure("LimitNOFILE"))
        .isGreaterThan(Config.defaults().get(Settings.LIMIT_CONNECTIONS) + OTHER_DESCRIPTORS);
  }

  private static long figure(String key) throws IOException {
    String unit = Files.readString(DEPLOY.resolve("sluice.service"));
    Matcher line = Pattern.compile("^" + key + "=(\\d+)$", Pattern.MULTILINE).matcher(unit);
    assertThat(line.find()).as(key).isTrue();
    return Long.parseLong(line.group(1));
  }
}
