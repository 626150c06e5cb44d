import type { FastifyInstance } from 'fastify';

/** Method and path of every route, as the router has it. */
export function routesOf(app: FastifyInstance): string[] {
  const stack: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap(line => {
      const [, indent = '', path = '', methods] = /^([│ ]*(?:├──|└──) )(\S*)(?: \((.*)\))?/u.exec(line) ?? [];
      const depth = indent.length / 4 - 1;
      if (depth < 0) return [];
      stack.splice(depth, stack.length, path);
      const url = stack.slice(0, depth + 1).join('');
      return (methods ?? '')
        .split(', ')
        .filter(Boolean)
        .map(method => `${method} ${url}`);
    });
}
