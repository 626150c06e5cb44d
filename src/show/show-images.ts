import type { Engine } from '../engine/engine.ts';
import { coalesceReads } from '../engine/shared-read.ts';
import { IMAGE_FILE, SHOW_NAME } from '../poll/poll.ts';
import { encodeImage, type StoredImage } from '../poll/stored-image.ts';

/**
 * The images of a show: its logo, and the ground of its full pictures. Each has a record of its
 * own, because the record of a show is read every two seconds.
 */

export const SHOW_IMAGES = ['logo', 'ground'] as const;
export type ShowImageKind = (typeof SHOW_IMAGES)[number];

export const MAX_IMAGE_BYTES: Readonly<Record<ShowImageKind, number>> = {
  logo: 200 * 1024,
  ground: 1024 * 1024,
};
/** At most two reads a second of one image, for any crowd. */
const REST_MS = 500;

/** Names of the files, absent without one. */
export type ImageFiles = { readonly [K in ShowImageKind]?: string | undefined };
/** The images themselves. */
export type ShowImages = { readonly [K in ShowImageKind]?: StoredImage | undefined };

type Records = Pick<Engine, 'records'>;

export function imageRecord(kind: ShowImageKind, show: string): `${ShowImageKind}:${string}` {
  return `${kind}:${show}`;
}

/** @returns kind and show of a record with an image, undefined for other records */
export function imageOfRecord(record: string): { kind: ShowImageKind; show: string } | undefined {
  const kind = SHOW_IMAGES.find(one => record.startsWith(imageRecord(one, '')));
  return kind && { kind, show: record.slice(imageRecord(kind, '').length) };
}

/** Returns the paths of a show's images on the relay. */
export function imagePaths(show: string, files: ImageFiles): ImageFiles {
  const kinds = SHOW_IMAGES.filter(kind => files[kind]);
  return Object.fromEntries(kinds.map(kind => [kind, `/api/show/${show}/${kind}/${files[kind]}`]));
}

export function writeImage(image: StoredImage): string {
  return JSON.stringify(encodeImage(image));
}

/** Parses the record of an image. @throws for another text */
export function parseImage(text: string): StoredImage {
  const { file, data } = JSON.parse(text) as { file: string; data: string };
  return { file, bytes: Buffer.from(data, 'base64') };
}

/** Reads the images of a show that are still those of its record. */
export async function findImages({ records }: Records, show: string, files: ImageFiles): Promise<ShowImages> {
  const kinds = SHOW_IMAGES.filter(kind => files[kind] !== undefined);
  const found = await Promise.all(
    kinds.map(async kind => {
      const text = await records.find(imageRecord(kind, show));
      const image = text === undefined ? undefined : parseImage(text);
      return [kind, image?.file === files[kind] ? image : undefined] as const;
    }),
  );
  return Object.fromEntries(found);
}

/** Reads images for the crowds of shows: requests at the same time share a read. */
export function imageReads({
  records,
}: Records): (kind: ShowImageKind, show: string, file: string) => Promise<Buffer | undefined> {
  const read = coalesceReads(async record => {
    const text = await records.find(record);
    return text === undefined ? undefined : parseImage(text);
  }, REST_MS);
  return async (kind, show, file) => {
    if (!SHOW_NAME.test(show) || !IMAGE_FILE.test(file)) return undefined;
    const image = await read(imageRecord(kind, show));
    return image?.file === file ? image.bytes : undefined;
  };
}
