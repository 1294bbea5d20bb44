import { isBlob } from "./content.js";
import { SluiceError } from "./errors.js";

/** Reads of blobs to publish, in the order of the calls. */
export class BlobReads {
  #last: Promise<unknown> | undefined;

  /**
   * Returns the content with the bytes of a blob, behind all earlier calls; undefined if the content
   * is no blob and no earlier one is being read.
   */
  read(content: unknown): Promise<unknown> | undefined {
    const before = this.#last;
    if (!before && !isBlob(content)) return undefined;
    const read = readAfter(before, content);
    const clear = (): void => {
      if (this.#last === read) this.#last = undefined;
    };
    read.then(clear, clear);
    return (this.#last = read);
  }
}

async function readAfter(before: Promise<unknown> | undefined, content: unknown): Promise<unknown> {
  const bytes = isBlob(content) ? bytesOf(content) : content;
  await before?.catch(() => undefined);
  return bytes;
}

async function bytesOf(blob: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch (cause) {
    throw new SluiceError("invalid-argument", "payload: the Blob cannot be read", undefined, cause);
  }
}
