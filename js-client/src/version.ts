/** Version of this package, as it stands in package.json. */
export const VERSION = "0.1.0";
