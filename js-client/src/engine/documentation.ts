/**
 * Returns a reference to a section of the documentation. The site has no public address, so that
 * the text names the page, which the command `sluice docs` serves.
 */
export function see(page: string, section: string): string {
  return `See section "${section}" of the page "${page}" of the documentation (sluice docs).`;
}
