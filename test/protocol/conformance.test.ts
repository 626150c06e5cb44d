import { conformance } from './conformance.ts';
import { foreignTarget, ownTarget } from './target.ts';

/** By default a relay of its own on the embedded engine; with TALLYCAST_URL whatever is there. */
const { TALLYCAST_URL: url, TALLYCAST_REDIS_URL: redisUrl, TALLYCAST_KEY: key } = process.env;

if (url === undefined) conformance('a relay on the embedded engine', () => ownTarget());
else conformance(`the relay at ${url}`, () => foreignTarget(url, redisUrl, key));
