import type { FastifyInstance } from 'fastify';
import { againRoutes } from './again-routes.ts';
import type { ApiOptions } from './api-options.ts';
import { copyRoutes } from './copy-routes.ts';
import { Creation, type WritingOptions } from './creation.ts';
import { programEvents } from './event-routes.ts';
import { imageRoutes } from './image-routes.ts';
import { acceptSloppyJson } from './json-body.ts';
import { listPolls } from './list-polls.ts';
import { logRoutes } from './log-routes.ts';
import { readDefinition } from './poll-definition.ts';
import { pollPicture } from './poll-picture.ts';
import { pollRoutes } from './poll-routes.ts';
import { readResults } from './read-results.ts';
import { rundownRoutes } from './rundown-routes.ts';
import { showImageRoutes } from './show-image-routes.ts';
import { showRoutes } from './show-routes.ts';
import { listUnknown } from './unknown-names.ts';
import { voidRoutes } from './void-routes.ts';
import { voteCodes } from './vote-code.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** In any order; that of the documents is this one. */
const ROUTES = [
  pollRoutes,
  listPolls,
  readResults,
  readDefinition,
  imageRoutes,
  copyRoutes,
  againRoutes,
  voidRoutes,
  logRoutes,
  pollPicture,
  voteCodes,
  showRoutes,
  rundownRoutes,
  showImageRoutes,
  webhookRoutes,
  programEvents,
];

/** All routes of the REST API. */
export async function restRoutes(app: FastifyInstance, options: ApiOptions): Promise<void> {
  requireOutlines(app);
  acceptSloppyJson(app);
  listUnknown(app);
  const api: WritingOptions = { ...options, creation: new Creation(options) };
  for (const routes of ROUTES) await app.register(routes, api);
}

/** A route below `app` without an outline is an error at start. */
export function requireOutlines(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.outline) throw new Error(`${method} ${url} has no outline: see api/outline.ts`);
  });
}
