// Token issuer, with the public key for the node.
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

export class Issuer {
  #privateKey;

  static async start() {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const issuer = new Issuer();
    issuer.#privateKey = privateKey;
    issuer.folder = await mkdtemp(join(tmpdir(), "sluice-issuer-"));
    issuer.keyFile = join(issuer.folder, "public.pem");
    await writeFile(issuer.keyFile, publicKey.export({ type: "spki", format: "pem" }));
    return issuer;
  }

  /** Returns a token that expires after this many milliseconds, rounded to a second. */
  token(subject, lifeMs) {
    const claims = { sub: subject, exp: Math.floor((Date.now() + lifeMs) / 1_000) };
    const signed = `${encode({ alg: "ES256" })}.${encode(claims)}`;
    const key = { key: this.#privateKey, dsaEncoding: "ieee-p1363" };
    return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
  }

  async close() {
    await rm(this.folder, { recursive: true });
  }
}
