/** The relay that serves this page, without a slash at the end; it may be behind a path of a proxy. */
export const relay = location.origin + location.pathname.replace(/\/overlay\/?$/, '');
