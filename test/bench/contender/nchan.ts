import { existsSync } from 'node:fs';
import { findFreePort } from '../../support/free-port.ts';
import { end, findProgram, launch } from '../system/children.ts';
import { withChildren } from '../system/usage.ts';
import type { Contender } from './contender.ts';
import { listens } from './probe.ts';
import { FIRST_VERSION, sampleResults } from './sample-results.ts';
import { writeSettings } from './write-settings.ts';

const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so';

/** nginx with the Nchan module, one worker. */
export const nchan: Contender = {
  name: 'Nchan',
  findObstacle() {
    if (!findProgram('nginx')) return 'there is no nginx here';
    return existsSync(MODULE) ? undefined : 'nginx here has no Nchan module (Debian: libnginx-mod-nchan)';
  },
  async start() {
    const port = await findFreePort();
    const settings = await writeSettings('nginx.conf', folder => configuration(folder, port));
    const child = launch(findProgram('nginx') ?? '', [
      '-c',
      settings.file,
      '-p',
      settings.folder,
      '-e',
      'stderr',
    ]);
    if (!(await listens(port, 5_000))) throw new Error('nginx does not listen');
    let version = FIRST_VERSION;
    return {
      dial: { port, path: '/subscribe', tongue: 'plain' },
      pids: () => withChildren(child.pid ?? 0),
      async publish() {
        version += 1;
        const published = version;
        await fetch(`http://127.0.0.1:${port}/publish`, { method: 'POST', body: sampleResults(published) });
        return published;
      },
      async stop() {
        // Its worker would outlive a killed master.
        await end(child, 'SIGTERM');
        await settings.remove();
      },
    };
  },
};

function configuration(folder: string, port: number): string {
  const asRoot = process.getuid?.() === 0 ? 'user root;' : '';
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  return `
    load_module ${MODULE};
    ${asRoot} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
    worker_shutdown_timeout 1s;
    events { worker_connections 19900; }
    http {
      access_log off; ${paths}
      server {
        listen 127.0.0.1:${port} backlog=511;
        location = /subscribe { nchan_subscriber websocket; nchan_channel_id poll; nchan_subscriber_first_message newest; }
        location = /publish { nchan_publisher; nchan_channel_id poll; nchan_message_buffer_length 1; }
      }
    }`;
}
