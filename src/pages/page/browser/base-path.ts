/** Path of this server's public URL without a slash at its end. Scripts are served right below it, in `/assets`. */
export const basePath = new URL('..', import.meta.url).pathname.slice(0, -1);
