import type { FastifyInstance } from 'fastify';

/**
 * A public URL may have a path, such as `https://show.example/polls`. Code and pages are written as
 * if they stood at the root.
 */

declare module 'fastify' {
  interface FastifyInstance {
    /** Path of the public URL without a slash at its end; empty at the root. */
    readonly basePath: string;
  }
}

const LINK = /(\s(?:href|src|action|formaction|data-[a-z]+)=")\/(?!\/)/g;

/** Returns the path of a URL, without a slash at its end. */
export function basePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}

/** Puts the base path before the links of a page that start with `/`. */
export function linksBelow(basePath: string, page: string): string {
  return basePath === '' ? page : page.replace(LINK, `$1${basePath}/`);
}

/**
 * Takes the path of the public URL off requests, and puts it before redirects and the links of
 * pages. Requests without it are served, too: health checks, and proxies that have taken it off.
 */
export function serveBelow(app: FastifyInstance, basePath: string): void {
  app.decorate('basePath', basePath);
  if (basePath === '') return;
  const takeOff = (request: { url?: string | undefined }) => {
    const { url = '/' } = request;
    const rest = url.startsWith(basePath) ? url.slice(basePath.length) : url;
    if (rest === '' || /^[/?]/.test(rest)) request.url = rest.startsWith('/') ? rest : `/${rest}`;
  };
  app.server.prependListener('request', takeOff).prependListener('upgrade', takeOff);
  app.addHook('onSend', async (_request, reply, payload) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && /^\/(?!\/)/.test(location))
      reply.header('location', basePath + location);
    const isPage =
      typeof payload === 'string' && `${reply.getHeader('content-type')}`.startsWith('text/html');
    return isPage ? linksBelow(basePath, payload) : payload;
  });
}
