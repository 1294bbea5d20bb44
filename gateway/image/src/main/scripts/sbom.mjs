// Prints the software bill of materials of the image in CycloneDX JSON: the components of the gateway
// and of its client of AMQP, and the Debian packages.
// Usage: sbom.mjs GATEWAY_SBOM AMQP_SBOM VERSION TIME ARCHITECTURE PACKAGE...
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [gateway, amqp, version, timestamp, architecture, ...packages] = process.argv.slice(2);
// Encodes a part of a package URL. The tilde of Debian versions is not escaped.
const encode = (part) => encodeURIComponent(part);

function component(file) {
  const show = ["--show", "--showformat=${Package}\n${Version}\n${Architecture}", file];
  const [name, debian, arch] = execFileSync("dpkg-deb", show, { encoding: "utf8" }).split("\n");
  const purl = `pkg:deb/debian/${encode(name)}@${encode(debian)}?arch=${arch}&distro=debian-13`;
  const content = createHash("sha256").update(readFileSync(file)).digest("hex");
  const hashes = [{ alg: "SHA-256", content }];
  return { type: "library", "bom-ref": purl, name, version: debian, hashes, purl };
}

const { serialNumber, ...bom } = JSON.parse(readFileSync(gateway, "utf8"));
const application = bom.metadata.component;
const purl = `pkg:oci/sluice@${encode(version)}?arch=${architecture}`;
const debian = packages.map(component);
const listed = new Set(bom.components.map((each) => each["bom-ref"]));
const client = JSON.parse(readFileSync(amqp, "utf8"));
const libraries = client.components.filter((each) => !listed.has(each["bom-ref"]));
const added = new Set(libraries.map((each) => each["bom-ref"]));
bom.components.push(application, ...libraries, ...debian);
bom.dependencies.push(...client.dependencies.filter((each) => added.has(each.ref)));
bom.metadata.component = { type: "container", "bom-ref": purl, name: "sluice", version, purl };
bom.metadata.timestamp = timestamp;
bom.dependencies.push({
  ref: purl,
  dependsOn: [application, ...libraries, ...debian].map((part) => part["bom-ref"]),
});
// Derived from the content, for a reproducible file: a UUID of version 3.
const hash = createHash("md5").update(JSON.stringify(bom)).digest("hex");
const uuid = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-3$3-8$4-$5");
console.log(JSON.stringify({ ...bom, serialNumber: `urn:uuid:${uuid}` }, null, 2));
