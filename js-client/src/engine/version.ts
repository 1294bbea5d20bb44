/** Version of this package, equal to that in package.json. */
export const VERSION = "0.1.0";
