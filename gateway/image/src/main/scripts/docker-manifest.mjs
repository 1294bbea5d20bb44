// Completes an OCI layout: the name and platform of its image, and the manifest.json of docker load.
// Usage: docker-manifest.mjs LAYOUT NAME ARCHITECTURE
import { readFileSync, writeFileSync } from "node:fs";

const [layout, name, architecture] = process.argv.slice(2);
const blob = (digest) => `blobs/${digest.replace(":", "/")}`;
const read = (file) => JSON.parse(readFileSync(`${layout}/${file}`, "utf8"));
const write = (file, value) => writeFileSync(`${layout}/${file}`, JSON.stringify(value));

const index = read("index.json");
const [image] = index.manifests;
image.platform = { architecture, os: "linux" };
image.annotations = { "org.opencontainers.image.ref.name": name };
write("index.json", index);

const manifest = read(blob(image.digest));
write("manifest.json", [
  {
    Config: blob(manifest.config.digest),
    RepoTags: [name],
    Layers: manifest.layers.map((layer) => blob(layer.digest)),
  },
]);
