import type { Engine } from '../engine/engine.ts';
import { coalesceReads } from '../engine/shared-read.ts';
import { SHOW_NAME } from '../poll/poll.ts';
import { encodeImage, IMAGE_FILE, type StoredImage } from '../poll/stored-image.ts';

/** The logo of a show: one image. It has a record of its own, because the record of a show is read every two seconds. */

export type Logo = StoredImage;

export const MAX_LOGO_BYTES = 200 * 1024;
const PREFIX = 'logo:';
/** At most two reads a second of one logo, for any crowd. */
const REST_MS = 500;

type Records = Pick<Engine, 'records'>;

export function logoRecord(show: string): string {
  return `${PREFIX}${show}`;
}

/** @returns the show of a record with a logo, undefined for other records */
export function showOfLogo(record: string): string | undefined {
  return record.startsWith(PREFIX) ? record.slice(PREFIX.length) : undefined;
}

/** Path of a logo on the relay. */
export function logoPath(show: string, file: string): string {
  return `/api/show/${show}/logo/${file}`;
}

export function writeLogo(logo: Logo): string {
  return JSON.stringify(encodeImage(logo));
}

/** Parses a record. @throws if it is none */
export function parseLogo(text: string): Logo {
  const { file, data } = JSON.parse(text) as { file: string; data: string };
  return { file, bytes: Buffer.from(data, 'base64') };
}

/** Reads logos for the crowds of shows: requests at the same time share a read. */
export function logoReads({ records }: Records): (show: string, file: string) => Promise<Buffer | undefined> {
  const read = coalesceReads(async show => {
    const text = await records.find(logoRecord(show));
    return text === undefined ? undefined : parseLogo(text);
  }, REST_MS);
  return async (show, file) => {
    if (!SHOW_NAME.test(show) || !IMAGE_FILE.test(file)) return undefined;
    const logo = await read(show);
    return logo?.file === file ? logo.bytes : undefined;
  };
}
