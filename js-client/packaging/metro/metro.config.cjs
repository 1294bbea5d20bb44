const { join } = require("node:path");

// Folder with the node_modules of the bundler.
const HOME = join(__dirname, "..", "..", "..");

module.exports = {
  projectRoot: __dirname,
  watchFolders: [HOME],
  resolver: { nodeModulesPaths: [join(HOME, "node_modules")], useWatchman: false },
  transformer: {
    asyncRequireModulePath: require.resolve("metro-runtime/src/modules/asyncRequire"),
  },
  cacheStores: [],
  maxWorkers: 1,
  reporter: { update() {} },
};
