package io.sluice.gatling;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.sluice.testkit.PackageSizes;
import org.junit.jupiter.api.Test;

/** Bounds the size of the packages and of the import cycles within them. */
class PackageRulesTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.sluice.gatling");

  @Test
  void shouldHaveAtMostThirtyFilesInAPackage() {
    assertThat(CLASSES).isNotEmpty();
    assertThat(PackageSizes.tooLarge(CLASSES, 30)).isEmpty();
  }

  @Test
  void shouldHaveAtMostFiveFilesInACycleWithinAPackage() {
    assertThat(CLASSES).isNotEmpty();
    assertThat(PackageSizes.cyclesAbove(CLASSES, 5)).isEmpty();
  }
}
