package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Block of a page of the documentation that a test runs. Immutable. */
public final class DocumentedBlock {
  private static final Path DOCS = Path.of("..", "docs");

  private final String text;

  private DocumentedBlock(String text) {
    this.text = text;
  }

  /**
   * Returns the block after the comment {@code <!-- mark: run by a test -->}, which the page has
   * once.
   *
   * @param page below {@code docs}
   */
  public static DocumentedBlock of(String page, String mark) throws IOException {
    String all = Files.readString(DOCS.resolve(page), UTF_8);
    Pattern block =
        Pattern.compile(
            Pattern.quote("<!-- " + mark + ": run by a test -->\n") + "```[a-z]*\n(.*?)```\n",
            Pattern.DOTALL);
    Matcher found = block.matcher(all);
    assertThat(found.find()).as("the block %s of %s", mark, page).isTrue();
    DocumentedBlock first = new DocumentedBlock(found.group(1));
    assertThat(found.find()).as("another block %s of %s", mark, page).isFalse();
    return first;
  }

  /** Returns the block with a text that it contains once replaced, such as a port. */
  public DocumentedBlock with(String one, String by) {
    assertThat(text).containsOnlyOnce(one);
    return new DocumentedBlock(text.replace(one, by));
  }

  /** Returns the block with all occurrences of a text replaced, of which there is at least one. */
  public DocumentedBlock withEach(String one, String by) {
    assertThat(text).contains(one);
    return new DocumentedBlock(text.replace(one, by));
  }

  public String text() {
    return text;
  }
}
